#version 330

// Trails -> exposure -> a look-up of tone curve, gamma and palette. The field repeats beyond its edges.
//
// app.display compiles it for one of EXACT, TILED, SMOOTH and AREA, for a number of SPECIES, and with MAP or
// without: software OpenGL runs through every branch and takes twice the time when they are chosen by an if.
// LOOK_SIZE is defined too. What is the same for all pixels comes from there as well: asking for two textures'
// sizes took half the time of this pass on a GPU made for computing, which has little to draw with.

uniform sampler2D trail;     // [H, W] scent, a channel for each species; row 0 is the top of the picture
uniform sampler2D look;      // colours over sqrt(x / (1 + x)), x the exposed trail, of each species;
                             // see app.display.look_up
uniform int rows;            // of what is drawn into
uniform ivec2 field;         // EXACT, TILED: width and height of the trail
uniform ivec2 corner;        // EXACT, TILED: the cell in the upper left corner of the target
uniform vec2 origin;         // SMOOTH, AREA: the place of that corner in the field, whose sides are 1
uniform vec2 stride;         // SMOOTH, AREA: from one target pixel to the next
uniform int taps;            // AREA: samples along each side of a target pixel

#if SPECIES == 1
uniform float exposure;      // times trail: the optical density of the tone curve
#else
uniform vec4 exposure;
#endif

#ifdef MAP
uniform sampler2D map;       // [H, W] food and walls, both 0 to 1
uniform float map_opacity;
uniform vec3 food;           // its colour
uniform vec3 stone;          // the colour of walls
#endif

out vec4 colour;

vec4 seen_at(sampler2D image, ivec2 pixel) {  // counted from the upper left
#if defined(EXACT)  // a target pixel is a cell, and the target is no larger than the field
    ivec2 cell = pixel + corner;
    return texelFetch(image, cell - field * ivec2(greaterThanEqual(cell, field)), 0);
#elif defined(TILED)  // a target pixel is a cell
    return texelFetch(image, (pixel + corner) % field, 0);
#elif defined(SMOOTH)  // a target pixel lies between cells
    return texture(image, origin + stride * (vec2(pixel) + 0.5));
#else  // AREA: a target pixel covers several cells
    vec4 sum = vec4(0.0);
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++)
            sum += texture(image, origin + stride * (vec2(pixel) + (vec2(i, j) + 0.5) / float(taps)));
    return sum / float(taps * taps);
#endif
}

vec3 colour_of(float exposed, int species) {
    float place = sqrt(exposed / (1.0 + exposed));
    int entry = int(place * float(LOOK_SIZE - 1) + 0.5);
    return texelFetch(look, ivec2(entry, species), 0).rgb;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    pixel.y = rows - 1 - pixel.y;
#if SPECIES == 1
    float exposed = exposure * seen_at(trail, pixel).r;
    vec3 shown = colour_of(exposed, 0);
#else  // what each species' palette gives for the sum, mixed by the squares of their shares: crisp borders
    vec4 parts = exposure * seen_at(trail, pixel);
    float exposed = dot(parts, vec4(1.0));
    vec4 weight = (parts + vec4(1e-6, 0.0, 0.0, 0.0)) / (exposed + 1e-6);  // empty ground is the first one's
    weight *= weight;
    weight /= dot(weight, vec4(1.0));
    vec3 shown = vec3(0.0);
    for (int species = 0; species < SPECIES; species++)
        shown += weight[species] * colour_of(exposed, species);
#endif
#ifdef MAP
    vec2 place = seen_at(map, pixel).rg;
    float solid = smoothstep(0.3, 0.7, place.g);
    float line = 1.0 - min(abs(place.r - 0.06) / max(fwidth(place.r), 1e-4), 1.0);  // where food thins out
    float glow = max(0.8 * place.r / (1.0 + exposed), line) * (1.0 - solid);  // fainter under the trail
    shown = mix(mix(shown, food, map_opacity * glow), stone, map_opacity * solid);
#endif
    colour = vec4(shown, 1.0);
}
