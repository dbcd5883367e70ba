#version 330

// Trail -> exposure -> a look-up of tone curve, gamma and palette. The field repeats beyond its edges.

uniform sampler2D trail;     // [H, W] scent; row 0 is the top of the picture
uniform sampler2D look;      // colours over sqrt(x / (1 + x)), x the exposed trail; see app.display.look_up
uniform vec2 target_size;    // of what is drawn into, in pixels
uniform vec2 centre;         // field pixel in the middle of the target
uniform float scale;         // target pixels per field pixel
uniform float exposure;      // times trail: the optical density of the tone curve
uniform int taps;            // samples along each side of a target pixel, more when zoomed out

out vec4 colour;

float trail_at(vec2 pixel) {
    return texture(trail, pixel / vec2(textureSize(trail, 0))).r;
}

float mean_trail_around(vec2 middle) {
    float sum = 0.0;
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++)
            sum += trail_at(middle + ((vec2(i, j) + 0.5) / float(taps) - 0.5) / scale);
    return sum / float(taps * taps);
}

void main() {
    vec2 down = vec2(gl_FragCoord.x, target_size.y - gl_FragCoord.y);
    vec2 middle = centre + (down - 0.5 * target_size) / scale;
    float seen;
    if (taps == 1)  // software OpenGL takes twice the time for a loop of one turn
        seen = trail_at(middle);
    else
        seen = mean_trail_around(middle);
    float exposed = exposure * seen;
    float place = sqrt(exposed / (1.0 + exposed));
    int last = textureSize(look, 0).x - 1;
    colour = vec4(texelFetch(look, ivec2(int(place * float(last) + 0.5), 0), 0).rgb, 1.0);
}
