// What the ground is made of: reflectances by height and slope, with natural variation, and the map-like colour modes.

float lattice_noise(ivec2 cell) {
  uint h = uint(cell.x) * 0x9e3779b9u ^ uint(cell.y) * 0x85ebca6bu;
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  h ^= h >> 16;
  return float(h >> 8) * (1.0 / 16777216.0);
}

// Smooth noise of mean 0.5 with features of one unit.
float value_noise(vec2 place) {
  vec2 cell = floor(place);
  vec2 f = place - cell;
  f = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  ivec2 c = ivec2(cell);
  float north = mix(lattice_noise(c), lattice_noise(c + ivec2(1, 0)), f.x);
  float south = mix(lattice_noise(c + ivec2(0, 1)), lattice_noise(c + ivec2(1, 1)), f.x);
  return mix(north, south, f.y);
}

// Noise from `coarsest_m` down to what a pixel still resolves.
float terrain_noise(vec2 place_m, float coarsest_m, float pixel_m) {
  float sum = 0.0;
  float weight = 0.5;
  float total = 0.0;
  float size = coarsest_m;
  for (int octave = 0; octave < 6; ++octave) {
    float seen = saturate(size / (2.0 * pixel_m) - 0.5);
    sum += weight * mix(0.5, value_noise(place_m / size + float(octave) * 17.3), seen);
    total += weight;
    weight *= 0.62;
    size *= 0.47;
  }
  return sum / total;
}

struct Ground {
  vec3 albedo;
  float bump_m;  // height of the fine relief that no sample holds, for shading alone
};

Ground relief_ground(vec3 place, vec3 normal, float pixel_m) {
  float low = scene.mode.w == 1 ? scene.heights.z : scene.heights.x;
  float size = clamp(scene.style.w / 60.0, 20.0, 2500.0);
  float broad = terrain_noise(place.xz, size, pixel_m);
  float grain = 0.07 * size;
  float fine = terrain_noise(place.xz + 911.0, grain, pixel_m);
  float region = value_noise(place.xz / (5.0 * size) + 3.7);
  float t = (place.y - low) / max(scene.heights.y - low, 1e-3) + 0.22 * (broad - 0.5) + 0.06 * (fine - 0.5);
  float steep = 1.0 - normal.y;

  vec3 grass = mix(vec3(0.190, 0.190, 0.085), vec3(0.265, 0.232, 0.120), broad);
  vec3 forest = mix(mix(vec3(0.030, 0.054, 0.026), vec3(0.052, 0.066, 0.024), region),
                    mix(vec3(0.078, 0.104, 0.048), vec3(0.120, 0.118, 0.048), region), fine);
  vec3 meadow = mix(vec3(0.135, 0.132, 0.062), vec3(0.250, 0.212, 0.132), 0.7 * broad + 0.3 * fine);
  vec3 rock = mix(vec3(0.120, 0.108, 0.098), vec3(0.330, 0.300, 0.268), fine);
  vec3 scree = vec3(0.300, 0.272, 0.240);
  vec3 snow = vec3(0.84, 0.88, 0.95);

  float wooded = smoothstep(0.05, 0.24, t);
  vec3 colour = mix(grass, forest, wooded);
  float open = smoothstep(0.40, 0.58, t);
  colour = mix(colour, meadow, open);
  float bare = scene.style.z * smoothstep(0.58, 0.76, t);
  colour = mix(colour, mix(rock, scree, 0.5), bare);
  float cliff = smoothstep(0.16, 0.34, steep + 0.12 * (fine - 0.5)) * (0.35 + 0.65 * scene.style.z);
  colour = mix(colour, rock, cliff);
  float shaded_side = normal.z < 0.0 ? -0.6 * normal.z : 0.0;
  float settled = smoothstep(0.42, 0.20, steep + 0.18 * (fine - 0.5));
  float white = scene.style.y * smoothstep(0.72, 0.84, t + 0.08 * shaded_side) * settled;
  colour = mix(colour, snow, white);
  Ground ground;
  ground.albedo = colour * (1.0 + (0.30 - 0.22 * white) * (fine - 0.5));
  float rough = mix(mix(0.05, 0.14, wooded * (1.0 - open)), 0.17, max(bare, cliff));
  ground.bump_m = grain * mix(rough, 0.03, white) * fine;
  return ground;
}

// `normal` of ground raised by `height_m`, from the differences between neighbouring pixels (Mikkelsen, "Bump Mapping Unparametrized
// Surfaces on the GPU", 2010).
vec3 bumped(vec3 normal, vec3 place, float height_m) {
  vec3 along_x = dFdx(place);
  vec3 along_y = dFdy(place);
  vec3 across_y = cross(along_y, normal);
  vec3 across_x = cross(normal, along_x);
  float area = dot(along_x, across_y);
  vec3 rise = sign(area) * (dFdx(height_m) * across_y + dFdy(height_m) * across_x);
  return normalize(max(abs(area), 1e-9) * normal - rise);
}

vec3 ramp(float t, vec3 a, vec3 b, vec3 c, vec3 d, vec3 e) {
  vec3 colour = mix(a, b, saturate(t));
  colour = mix(colour, c, saturate(t - 1.0));
  colour = mix(colour, d, saturate(t - 2.0));
  return mix(colour, e, saturate(t - 3.0));
}

vec3 slope_colour(vec3 normal) {
  float degrees_of_slope = degrees(acos(clamp(normal.y, 0.0, 1.0)));
  return ramp(degrees_of_slope / 12.0, vec3(0.20, 0.26, 0.21), vec3(0.38, 0.34, 0.08), vec3(0.46, 0.14, 0.025),
              vec3(0.28, 0.022, 0.04), vec3(0.10, 0.018, 0.13));
}

vec3 lod_colour(int lod) {
  const vec3 colours[8] = vec3[](vec3(0.360, 0.052, 0.030), vec3(0.420, 0.165, 0.018), vec3(0.360, 0.285, 0.045),
                                 vec3(0.110, 0.235, 0.070), vec3(0.018, 0.190, 0.195), vec3(0.032, 0.098, 0.260),
                                 vec3(0.115, 0.042, 0.215), vec3(0.240, 0.030, 0.135));
  return colours[lod & 7];
}

// Tints of a printed map with lines every step and bold ones every fifth.
vec3 contour_colour(float y, float pixel_rise) {
  float low = scene.mode.w == 1 ? scene.heights.z : scene.heights.x;
  float t = (y - low) / max(scene.heights.y - low, 1e-3);
  vec3 colour = ramp(4.0 * t, vec3(0.165, 0.255, 0.125), vec3(0.335, 0.345, 0.180), vec3(0.400, 0.310, 0.180),
                     vec3(0.290, 0.180, 0.110), vec3(0.520, 0.505, 0.490));
  float line_step = scene.style.x;
  float from_line = abs(fract(y / line_step + 0.5) - 0.5) * line_step;
  float from_bold = abs(fract(y / (5.0 * line_step) + 0.5) - 0.5) * 5.0 * line_step;
  float line = saturate(1.25 - from_line / pixel_rise) * saturate(line_step / (4.0 * pixel_rise) - 0.4);
  float bold = saturate(1.7 - from_bold / pixel_rise) * saturate(5.0 * line_step / (4.0 * pixel_rise) - 0.4);
  return mix(colour, vec3(0.060, 0.025, 0.012), max(0.62 * line, 0.9 * bold));
}
