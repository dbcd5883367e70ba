#version 330

// No colour conversion: imgui's colours and the textures are sRGB bytes already, as is the framebuffer.
uniform sampler2D image;

in vec2 frag_uv;
in vec4 frag_colour;

out vec4 pixel;

void main() {
    pixel = frag_colour * texture(image, frag_uv);
}
