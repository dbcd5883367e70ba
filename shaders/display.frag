#version 330

// Trail -> exposure -> a look-up of tone curve, gamma and palette. The field repeats beyond its edges.
//
// app.display compiles it four times, with one of EXACT, TILED, SMOOTH and AREA defined: software OpenGL
// runs through every branch and takes twice the time when they are chosen by an if. LOOK_SIZE is defined too.
// What is the same for all pixels comes from there as well: asking for two textures' sizes took half the time
// of this pass on a GPU made for computing, which has little to draw with.

uniform sampler2D trail;     // [H, W] scent; row 0 is the top of the picture
uniform sampler2D look;      // colours over sqrt(x / (1 + x)), x the exposed trail; see app.display.look_up
uniform int rows;            // of what is drawn into
uniform ivec2 field;         // EXACT, TILED: width and height of the trail
uniform ivec2 corner;        // EXACT, TILED: the cell in the upper left corner of the target
uniform vec2 origin;         // SMOOTH, AREA: the place of that corner in the field, whose sides are 1
uniform vec2 stride;         // SMOOTH, AREA: from one target pixel to the next
uniform int taps;            // AREA: samples along each side of a target pixel
uniform float exposure;      // times trail: the optical density of the tone curve

out vec4 colour;

float seen_at(ivec2 pixel) {  // counted from the upper left
#if defined(EXACT)  // a target pixel is a cell, and the target is no larger than the field
    ivec2 cell = pixel + corner;
    return texelFetch(trail, cell - field * ivec2(greaterThanEqual(cell, field)), 0).r;
#elif defined(TILED)  // a target pixel is a cell
    return texelFetch(trail, (pixel + corner) % field, 0).r;
#elif defined(SMOOTH)  // a target pixel lies between cells
    return texture(trail, origin + stride * (vec2(pixel) + 0.5)).r;
#else  // AREA: a target pixel covers several cells
    float sum = 0.0;
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++)
            sum += texture(trail, origin + stride * (vec2(pixel) + (vec2(i, j) + 0.5) / float(taps))).r;
    return sum / float(taps * taps);
#endif
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float exposed = exposure * seen_at(ivec2(pixel.x, rows - 1 - pixel.y));
    float place = sqrt(exposed / (1.0 + exposed));
    int entry = int(place * float(LOOK_SIZE - 1) + 0.5);
    colour = vec4(texelFetch(look, ivec2(entry, 0), 0).rgb, 1.0);
}
