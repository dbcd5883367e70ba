// The mask as a veil over the picture: the denser the further the other look holds, with a line where both
// are even. Drawn with blending, over the picture that is there.

uniform sampler2D mask;      // [H, W] 0 to 1; row 0 is the top of the picture
uniform vec3 veil;           // its colour
uniform int rows;            // of what is drawn into
uniform vec2 origin;         // the place of its upper left corner in the field, whose sides are 1
uniform mat2 stride;         // from one target pixel to the next, right and down

out vec4 colour;

void main() {
    vec2 pixel = vec2(gl_FragCoord.x, float(rows) - gl_FragCoord.y);
    float share = texture(mask, origin + stride * pixel).r;
    float line = clamp(1.5 - abs(share - 0.5) / max(fwidth(share), 1e-4), 0.0, 1.0);
    colour = vec4(veil, 1.0) * max(0.35 * share, 0.9 * line);
}
