// A picture as the planes of a film's frame: BT.709 in limited range, chroma for each second pixel.
//
// The luma's rows come first (LUMA). Below them lie those of Cb to the left and of Cr to the right.

uniform sampler2D image;     // sRGB; the lowest row first, as OpenGL draws
uniform ivec2 last;          // its last column and row
uniform ivec2 size;          // of the luma: even, so that it may have a column and a row more than the picture
uniform int tall;            // rows of luma for one of chroma
uniform float codes;         // of those written for each of 8 bits

out uint code;

const vec3 WEIGHTS = vec3(0.2126, 0.7152, 0.0722);

vec3 at(ivec2 place) {
    place = clamp(place, ivec2(0), last);
    return texelFetch(image, ivec2(place.x, last.y - place.y), 0).rgb;
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
#ifdef LUMA
    float value = 16.0 + 219.0 * dot(WEIGHTS, at(place));
#else  // H.264 and VP9 have each chroma sample stand on a left column, between its rows
    bool blue = place.x < size.x / 2;
    ivec2 first = ivec2(2 * (blue ? place.x : place.x - size.x / 2), tall * (place.y - size.y));
    vec3 colour = vec3(0.0);
    for (int row = 0; row < tall; row++) {
        ivec2 here = first + ivec2(0, row);
        colour += 2.0 * at(here) + at(here - ivec2(1, 0)) + at(here + ivec2(1, 0));
    }
    colour /= 4.0 * float(tall);
    float luma = dot(WEIGHTS, colour);
    float value = 128.0 + 224.0 * (blue ? (colour.b - luma) / 1.8556 : (colour.r - luma) / 1.5748);
#endif
    code = uint(codes * value + 0.5);
}
