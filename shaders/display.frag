#version 330

// Trail -> exposure -> tone curve -> gamma -> palette. The field repeats beyond its edges.

uniform sampler2D trail;     // [H, W] scent; row 0 is the top of the picture
uniform sampler2D palette;   // 256 colours, from empty ground to the strongest trail
uniform vec2 target_size;    // of what is drawn into, in pixels
uniform vec2 centre;         // field pixel in the middle of the target
uniform float scale;         // target pixels per field pixel
uniform float exposure;      // times trail: the optical density of the tone curve
uniform float inverse_gamma;
uniform int taps;            // samples along each side of a target pixel, more when zoomed out

out vec4 colour;

float trail_at(vec2 pixel) {
    return texture(trail, pixel / vec2(textureSize(trail, 0))).r;
}

void main() {
    vec2 down = vec2(gl_FragCoord.x, target_size.y - gl_FragCoord.y);
    vec2 middle = centre + (down - 0.5 * target_size) / scale;
    float sum = 0.0;
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++)
            sum += trail_at(middle + ((vec2(i, j) + 0.5) / float(taps) - 0.5) / scale);
    float tone = 1.0 - exp(-exposure * sum / float(taps * taps));
    tone = pow(clamp(tone, 0.0, 1.0), inverse_gamma);
    colour = vec4(texture(palette, vec2((tone * 255.0 + 0.5) / 256.0, 0.5)).rgb, 1.0);
}
