// A film's frame from others: the mean of a larger one (AVERAGE), or one fading into another.

uniform sampler2D image;     // AVERAGE: linear light, `times` as wide and as tall; otherwise sRGB of this size
uniform int times;
uniform sampler2D other;     // sRGB of this size
uniform float share;         // of the other one's light

out vec4 colour;

vec3 light(sampler2D picture, ivec2 place) {
    vec3 code = texelFetch(picture, place, 0).rgb;
    return mix(pow((code + 0.055) / 1.055, vec3(2.4)), code / 12.92, lessThanEqual(code, vec3(0.04045)));
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
#ifdef AVERAGE  // white is no brighter than white, or the edges of bright veins would not be smooth
    vec3 mixed = vec3(0.0);
    for (int row = 0; row < times; row++)
        for (int column = 0; column < times; column++)
            mixed += min(texelFetch(image, place * times + ivec2(column, row), 0).rgb, 1.0);
    mixed /= float(times * times);
#else
    vec3 mixed = mix(light(image, place), light(other, place), share);
#endif
    colour = vec4(to_srgb(mixed), 1.0);
}
