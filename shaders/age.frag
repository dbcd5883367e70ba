// The trail as it was lately: what is there now, blended into what was. The blending is OpenGL's.

uniform sampler2D trail;
#if SPECIES == 1
uniform float balance;
#else
uniform vec4 balance;
#endif
uniform float share;       // of what is there now

out vec4 colour;

void main() {
#if SPECIES == 1
    float now = balance * texelFetch(trail, ivec2(gl_FragCoord.xy), 0).r;
#else
    float now = dot(balance, texelFetch(trail, ivec2(gl_FragCoord.xy), 0));
#endif
    colour = vec4(now, 0.0, 0.0, share);
}
