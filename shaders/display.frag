#version 330

// Trail -> exposure -> a look-up of tone curve, gamma and palette. The field repeats beyond its edges.
//
// app.display compiles it three times, with one of EXACT, SMOOTH and AREA defined: software OpenGL runs
// through every branch and takes twice the time when the three are chosen by an if.

uniform sampler2D trail;     // [H, W] scent; row 0 is the top of the picture
uniform sampler2D look;      // colours over sqrt(x / (1 + x)), x the exposed trail; see app.display.look_up
uniform vec2 target_size;    // of what is drawn into, in pixels
uniform vec2 centre;         // field pixel in the middle of the target
uniform float scale;         // target pixels per field pixel
uniform float exposure;      // times trail: the optical density of the tone curve
uniform int taps;            // AREA: samples along each side of a target pixel

out vec4 colour;

#ifdef EXACT  // a target pixel is a cell

float seen_at(vec2 pixel) {
    vec2 size = vec2(textureSize(trail, 0));
    return texelFetch(trail, ivec2(floor(pixel) - size * floor(pixel / size)), 0).r;
}

#else  // SMOOTH: a target pixel lies between cells

float between(vec2 pixel) {
    return texture(trail, pixel / vec2(textureSize(trail, 0))).r;
}

#ifdef AREA  // a target pixel covers several cells

float seen_at(vec2 pixel) {
    float sum = 0.0;
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++)
            sum += between(pixel + ((vec2(i, j) + 0.5) / float(taps) - 0.5) / scale);
    return sum / float(taps * taps);
}

#else

float seen_at(vec2 pixel) {
    return between(pixel);
}

#endif
#endif

void main() {
    vec2 down = vec2(gl_FragCoord.x, target_size.y - gl_FragCoord.y);
    float exposed = exposure * seen_at(centre + (down - 0.5 * target_size) / scale);
    float place = sqrt(exposed / (1.0 + exposed));
    int last = textureSize(look, 0).x - 1;
    colour = vec4(texelFetch(look, ivec2(int(place * float(last) + 0.5), 0), 0).rgb, 1.0);
}
