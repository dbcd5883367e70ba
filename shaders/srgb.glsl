// Linear light from 0 to 1 as sRGB values (IEC 61966-2-1).
vec3 to_srgb(vec3 light) {
    light = clamp(light, 0.0, 1.0);
    return mix(1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, light * 12.92, lessThanEqual(light, vec3(0.0031308)));
}
