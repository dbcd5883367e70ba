// One stage of the glow's chain: to half the size (DOWN), or from half the size to this one (UP).

uniform sampler2D image;   // DOWN: twice as large; UP: half as large, what lies below in the chain
uniform sampler2D level;   // UP: this size, on its way down
uniform vec2 pixel;        // 1 / the size of `image`
uniform vec2 size;         // of what is drawn into
uniform float spread;      // UP: how much of what is drawn comes from below

out vec4 colour;

void main() {
    vec2 place = gl_FragCoord.xy / size;
#ifdef DOWN  // the mean of 4 x 4, so that a bright pixel does not flicker as it moves
    colour = 0.25 * (texture(image, place - pixel) + texture(image, place + pixel)
                   + texture(image, place + vec2(pixel.x, -pixel.y)) + texture(image, place + vec2(-pixel.x, pixel.y)));
#else  // a tent over 3 x 3
    vec4 sides = texture(image, place - vec2(pixel.x, 0.0)) + texture(image, place + vec2(pixel.x, 0.0))
               + texture(image, place - vec2(0.0, pixel.y)) + texture(image, place + vec2(0.0, pixel.y));
    vec4 corners = texture(image, place - pixel) + texture(image, place + pixel)
                 + texture(image, place + vec2(pixel.x, -pixel.y)) + texture(image, place + vec2(-pixel.x, pixel.y));
    vec4 below = (4.0 * texture(image, place) + 2.0 * sides + corners) / 16.0;
    colour = mix(texelFetch(level, ivec2(gl_FragCoord.xy), 0), below, spread);
#endif
}
