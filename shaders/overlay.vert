#version 330

uniform vec2 display_size;  // window units

in vec2 position;  // window units from the top left
in vec2 uv;
in vec4 colour;

out vec2 frag_uv;
out vec4 frag_colour;

void main() {
    frag_uv = uv;
    frag_colour = colour;
    vec2 place = position / display_size;
    gl_Position = vec4(2.0 * place.x - 1.0, 1.0 - 2.0 * place.y, 0.0, 1.0);
}
