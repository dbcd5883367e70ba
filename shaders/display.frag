// Trails -> exposure -> tone and palette -> lamp -> glow and vignette -> sRGB. The field repeats beyond its edges.
//
// app.display compiles it for what a picture needs and no more, for software OpenGL runs through every branch:
//   EXACT, TILED, SMOOTH, CUBIC, AREA   how the field is sampled
//   SPECIES 1 to 4
//   AGE, HEADING, DISTANCE              what takes a colour from the palette; density where none is defined
//   AGENTS                              agents are seen on their trails
//   RIDGE                               a lamp lights the trail as a landscape
//   MAP                                 food and walls lie over it
//   LIGHT                               the look holds linear light; where it is not defined, sRGB that is shown as it is
//   GLOWING                             only what glows is drawn, as its difference from the ground
//   FINISH                              glow, vignette, grain and dither
//   SRGB                                light becomes sRGB in the end
//
// What is the same for all pixels is a uniform: asking for two textures' sizes took half the time of this pass
// on a GPU made for computing, which has little to draw with.

uniform sampler2D trail;     // [H, W] scent, a channel for each species; row 0 is the top of the picture
uniform sampler2D look;      // two rows for each species, see app.tone.look_up
uniform int rows;            // of what is drawn into
uniform ivec2 tile;          // where that lies in the whole picture
uniform ivec2 field;         // EXACT, TILED: width and height of the trail
uniform ivec2 corner;        // EXACT, TILED: the cell in the upper left corner of the picture
uniform vec2 origin;         // otherwise: the place of that corner in the field, whose sides are 1
uniform mat2 stride;         // from one pixel to the next, right and down
uniform int taps;            // AREA: samples along each side of a pixel
uniform vec2 cells;          // CUBIC: width and height of the trail

#if SPECIES == 1
uniform float exposure;      // times trail: the optical density of the tone curve
#else
uniform vec4 exposure;
#endif

uniform isampler2D agents;   // AGENTS: [SPECIES * H, W] how many stand on each cell
uniform ivec2 sides;         // width and height of the field
uniform float grain_size;    // pixels per cell
uniform float sparkle;

uniform sampler2D age;       // AGE: [H, W] the trail of all species as it was lately, each in balance
uniform float brightness;    // makes of that what `exposure` makes of the trail
uniform float ridge;         // RIDGE: how much of the lamp's light is seen
uniform float ridge_slope;   // how high a trail stands over a pixel's width
uniform float ridge_gloss;
uniform vec3 lamp;           // the way to the lamp: right, down, towards the eye; its length is 1

uniform sampler2D map;       // MAP: [H, W] food and walls, both 0 to 1
uniform float map_opacity;
uniform vec3 food;           // colours
uniform vec3 stone;

uniform float threshold;     // GLOWING
uniform float knee;

uniform sampler2D glow;      // FINISH
uniform float bloom;
uniform float vignette;
uniform float grain;
uniform float dither;
uniform uint moment;         // the step: grain differs in each
uniform vec2 target;         // width and height of the whole picture

out vec4 colour;

#ifdef CUBIC
// Bicubic B-spline from four bilinear samples: Sigg and Hadwiger, "Fast third-order texture filtering", GPU Gems 2, 2005.
vec4 cubic(sampler2D image, vec2 place) {
    vec2 at = place * cells - 0.5;
    vec2 part = fract(at), rest = 1.0 - part;
    vec2 w0 = rest * rest * rest / 6.0;
    vec2 w1 = (4.0 - 3.0 * part * part * (2.0 - part)) / 6.0;
    vec2 w3 = part * part * part / 6.0;
    vec2 near = w0 + w1, far = 1.0 - near;
    vec2 low = (floor(at) - 0.5 + w1 / near) / cells;
    vec2 high = (floor(at) + 1.5 + w3 / far) / cells;
    return near.y * (near.x * texture(image, low) + far.x * texture(image, vec2(high.x, low.y)))
         + far.y * (near.x * texture(image, vec2(low.x, high.y)) + far.x * texture(image, high));
}
#endif

vec4 seen_at(sampler2D image, ivec2 pixel) {  // counted from the upper left of the whole picture
#if defined(EXACT)  // a pixel is a cell, and the picture is no larger than the field
    ivec2 cell = pixel + corner;
    return texelFetch(image, cell - field * ivec2(greaterThanEqual(cell, field)), 0);
#elif defined(TILED)  // a pixel is a cell
    return texelFetch(image, (pixel + corner + field) % field, 0);  // % is undefined below 0
#elif defined(SMOOTH)  // a pixel lies between cells
    return texture(image, origin + stride * (vec2(pixel) + 0.5));
#elif defined(CUBIC)  // and is much smaller than one
    return cubic(image, origin + stride * (vec2(pixel) + 0.5));
#else  // AREA: a pixel covers several cells
    vec4 sum = vec4(0.0);
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++)
            sum += texture(image, origin + stride * (vec2(pixel) + (vec2(i, j) + 0.5) / float(taps)));
    return sum / float(taps * taps);
#endif
}

#ifdef AGENTS
vec4 agents_in(ivec2 cell) {
    cell -= sides * ivec2(floor((vec2(cell) + 0.5) / vec2(sides)));  // % is undefined below 0
    vec4 found = vec4(0.0);
    for (int species = 0; species < SPECIES; species++)
        found[species] = float(texelFetch(agents, cell + ivec2(0, species * sides.y), 0).r);
    return found;
}

vec4 agents_at(ivec2 pixel) {  // of each species; where cells are seen large, a round grain in each
  #if defined(EXACT) || defined(TILED)
    return agents_in(pixel + corner);
  #elif defined(AREA)
    vec4 sum = vec4(0.0);
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++) {
            vec2 place = origin + stride * (vec2(pixel) + (vec2(i, j) + 0.5) / float(taps));
            sum += agents_in(ivec2(floor(place * vec2(sides))));
        }
    return sum / float(taps * taps);
  #else
    vec2 place = (origin + stride * (vec2(pixel) + 0.5)) * vec2(sides);
    float away = length(fract(place) - 0.5) * grain_size;
    float covered = clamp(0.45 * grain_size - away + 0.5, 0.0, 1.0);
    return agents_in(ivec2(floor(place))) * mix(1.0, covered, clamp(grain_size - 2.0, 0.0, 1.0));
  #endif
}
#endif

vec4 entry_of(float exposed, int row) {
    float place = sqrt(exposed / (1.0 + exposed)) * float(LOOK_SIZE - 1);
#ifdef LIGHT
    int below = min(int(place), LOOK_SIZE - 2);
    return mix(texelFetch(look, ivec2(below, row), 0), texelFetch(look, ivec2(below + 1, row), 0), place - float(below));
#else
    return texelFetch(look, ivec2(int(place + 0.5), row), 0);
#endif
}

float exposed_at(ivec2 pixel) {
#if SPECIES == 1
    return exposure * seen_at(trail, pixel).r;
#else
    return dot(exposure, seen_at(trail, pixel));
#endif
}

#if defined(AGE) || defined(HEADING) || defined(DISTANCE)
float place_of(ivec2 pixel, float exposed) {  // in the palette, from 0 to 1
  #if defined(AGE)
    float lately = brightness * seen_at(age, pixel).r;  // half of the sum where all stays as it is
    return min(1.6 * lately / (lately + exposed + 1e-6), 1.0);
  #elif defined(DISTANCE)
    vec2 away = fract(origin + stride * (vec2(pixel) + 0.5)) - 0.5;
    return min(length(away) * 1.4142135, 1.0);
  #else
    // Across a vein the logarithm of the trail bends most. Its second derivatives, times the square of the
    // trail, are these; the angle between the two axes they span is twice the vein's.
    float here = exposed + 1e-6;
    float left = exposed_at(pixel - ivec2(3, 0)), right = exposed_at(pixel + ivec2(3, 0));
    float above = exposed_at(pixel - ivec2(0, 3)), below = exposed_at(pixel + ivec2(0, 3));
    float one = exposed_at(pixel + ivec2(3, 3)) + exposed_at(pixel - ivec2(3, 3));
    float other = exposed_at(pixel + ivec2(3, -3)) + exposed_at(pixel + ivec2(-3, 3));
    vec2 slope = 0.5 * vec2(right - left, below - above);
    float level = slope.x * slope.x - slope.y * slope.y - here * (left + right - above - below);
    float oblique = 2.0 * slope.x * slope.y - 0.5 * here * (one - other);
    return abs(atan(oblique, level)) / 3.14159265;  // 0 upright, 1 level, and both obliques between
  #endif
}
#endif

vec3 colour_of(float exposed, float place, int species) {
    vec4 entry = entry_of(exposed, 2 * species);
#if defined(AGE) || defined(HEADING) || defined(DISTANCE)
    float along = (0.3 + 0.7 * place) * float(LOOK_SIZE - 1);  // never the ground's own colour
    vec3 chosen = texelFetch(look, ivec2(int(along + 0.5), 2 * species + 1), 0).rgb;
    return mix(texelFetch(look, ivec2(0, 2 * species + 1), 0).rgb, chosen, entry.a);
#else
    return entry.rgb;
#endif
}

#ifdef FINISH
float noise(uvec2 at, uint key) {  // from 0 to 1; PCG, as in kernels.contract
    uint state = (at.x + at.y * 65537u + key * 0x9e3779b9u) * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return float((word >> 22u) ^ word) / 4294967295.0;
}
#endif

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    pixel.y = rows - 1 - pixel.y;
    pixel += tile;
    vec4 parts = exposure * seen_at(trail, pixel);
#if SPECIES == 1
    parts = vec4(parts.r, 0.0, 0.0, 0.0);
#endif
    float exposed = dot(parts, vec4(1.0));
#if defined(AGE) || defined(HEADING) || defined(DISTANCE)
    float place = place_of(pixel, exposed);
#else
    float place = 0.0;
#endif
#ifdef AGENTS
    parts += sparkle * agents_at(pixel);
    exposed = dot(parts, vec4(1.0));
#endif
#if SPECIES == 1
    vec3 shown = colour_of(exposed, place, 0);
#else  // what each species' palette gives for the sum, mixed by the squares of their shares: crisp borders
    vec4 weight = (parts + vec4(1e-6, 0.0, 0.0, 0.0)) / (exposed + 1e-6);  // empty ground is the first one's
    weight *= weight;
    weight /= dot(weight, vec4(1.0));
    vec3 shown = vec3(0.0);
    for (int species = 0; species < SPECIES; species++)
        shown += weight[species] * colour_of(exposed, place, species);
#endif

#ifdef RIDGE
    vec4 around = vec4(exposed_at(pixel - ivec2(1, 0)), exposed_at(pixel + ivec2(1, 0)),
                       exposed_at(pixel - ivec2(0, 1)), exposed_at(pixel + ivec2(0, 1)));
    vec4 height = around * around / (0.3 + around * (1.0 + around));  // faint trail lies flat
    vec3 normal = normalize(vec3(ridge_slope * (height.xz - height.yw), 1.0));
    float lit = max(dot(normal, lamp), 0.0) / max(lamp.z, 0.2);  // 1 on level ground, but for a lamp low down
    float shine = pow(max(dot(normal, normalize(lamp + vec3(0.0, 0.0, 1.0))), 0.0), 40.0);
    float level_shine = pow(sqrt(0.5 + 0.5 * lamp.z), 40.0);
    shown = shown * mix(1.0, lit, ridge) + ridge * ridge_gloss * max(shine - level_shine, 0.0);
#endif

#ifdef MAP
    vec2 layers = seen_at(map, pixel).rg;
    float solid = smoothstep(0.3, 0.7, layers.g);
    float line = 1.0 - min(abs(layers.r - 0.06) / max(fwidth(layers.r), 1e-4), 1.0);  // where food thins out
    float here = max(0.8 * layers.r / (1.0 + exposed), line) * (1.0 - solid);  // fainter under the trail
    shown = mix(mix(shown, food, map_opacity * here), stone, map_opacity * solid);
#endif

#ifdef GLOWING
    vec3 ground = texelFetch(look, ivec2(0), 0).rgb;
    shown -= ground;  // below 0 where ink lies on paper: that bleeds
    float stands_out = max(max(abs(shown.r), abs(shown.g)), abs(shown.b));
    float soft = clamp(stands_out - threshold + knee, 0.0, 2.0 * knee);
    shown *= max(soft * soft / (4.0 * knee + 1e-5), stands_out - threshold) / max(stands_out, 1e-5);
#endif

#ifdef FINISH
    vec3 paper = texelFetch(look, ivec2(0), 0).rgb;
    vec2 spot = (vec2(pixel) + 0.5) / target;
    if (bloom > 0.0)
        shown = max(shown + bloom * texture(glow, vec2(spot.x, 1.0 - spot.y)).rgb, 0.0);
    vec2 outward = (spot - 0.5) * 1.4142135;
    float corner_dark = dot(outward, outward);
    shown = mix(shown, paper, vignette * corner_dark * corner_dark);
#endif

#ifdef SRGB
    shown = to_srgb(shown);
  #ifdef FINISH
    if (grain > 0.0)
        shown += 0.14 * grain * (noise(uvec2(pixel), moment) + noise(uvec2(pixel), moment + 0x80000000u) - 1.0);
    shown += dither * (noise(uvec2(pixel), 0u) - 0.5);
  #endif
#endif
    colour = vec4(shown, 1.0);
}
