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

vec3 relief_colour(vec3 place, vec3 normal, float pixel_m) {
  float span = max(scene.heights.y - scene.heights.x, 1e-3);
  float low = scene.mode.w == 1 ? scene.heights.z : scene.heights.x;
  float size = clamp(scene.style.w / 60.0, 20.0, 4000.0);
  float broad = terrain_noise(place.xz, size, pixel_m);
  float fine = terrain_noise(place.xz + 911.0, size * 0.06, pixel_m);
  float t = (place.y - low) / max(scene.heights.y - low, 1e-3) + 0.20 * (broad - 0.5) + 0.05 * (fine - 0.5);
  float steep = 1.0 - normal.y;

  vec3 grass = mix(vec3(0.190, 0.215, 0.072), vec3(0.245, 0.225, 0.095), broad);
  vec3 forest = mix(vec3(0.042, 0.088, 0.030), vec3(0.075, 0.115, 0.040), fine);
  vec3 meadow = mix(vec3(0.150, 0.155, 0.065), vec3(0.225, 0.195, 0.105), broad);
  vec3 rock = mix(vec3(0.165, 0.145, 0.125), vec3(0.300, 0.270, 0.240), fine);
  vec3 scree = vec3(0.330, 0.300, 0.262);
  vec3 snow = vec3(0.86, 0.90, 0.96);

  vec3 colour = mix(grass, forest, smoothstep(0.06, 0.26, t));
  colour = mix(colour, meadow, smoothstep(0.42, 0.60, t));
  colour = mix(colour, mix(rock, scree, 0.5), scene.style.z * smoothstep(0.60, 0.78, t));
  colour = mix(colour, rock, smoothstep(0.17, 0.36, steep + 0.10 * (fine - 0.5)) * (0.35 + 0.65 * scene.style.z));
  float settled = smoothstep(0.44, 0.20, steep + 0.16 * (fine - 0.5));
  colour = mix(colour, snow, scene.style.y * smoothstep(0.70, 0.82, t + 0.06 * (normal.z < 0.0 ? 1.0 : 0.0) * steep) * settled);
  return colour * (0.86 + 0.28 * fine);
}

vec3 ramp(float t, vec3 a, vec3 b, vec3 c, vec3 d, vec3 e) {
  vec3 colour = mix(a, b, saturate(t));
  colour = mix(colour, c, saturate(t - 1.0));
  colour = mix(colour, d, saturate(t - 2.0));
  return mix(colour, e, saturate(t - 3.0));
}

vec3 slope_colour(vec3 normal) {
  float degrees_of_slope = degrees(acos(clamp(normal.y, 0.0, 1.0)));
  return ramp(degrees_of_slope / 12.0, vec3(0.42, 0.50, 0.40), vec3(0.60, 0.56, 0.16), vec3(0.72, 0.26, 0.05),
              vec3(0.44, 0.04, 0.07), vec3(0.16, 0.03, 0.20));
}

vec3 lod_colour(int lod) {
  const vec3 colours[8] = vec3[](vec3(0.72, 0.13, 0.06), vec3(0.84, 0.38, 0.03), vec3(0.72, 0.60, 0.08),
                                 vec3(0.22, 0.47, 0.14), vec3(0.03, 0.38, 0.39), vec3(0.06, 0.19, 0.50),
                                 vec3(0.22, 0.08, 0.42), vec3(0.48, 0.06, 0.27));
  return colours[lod & 7];
}

// Tints of a printed map with lines every step and bold ones every fifth.
vec3 contour_colour(float y, float pixel_rise) {
  float low = scene.mode.w == 1 ? scene.heights.z : scene.heights.x;
  float t = (y - low) / max(scene.heights.y - low, 1e-3);
  vec3 colour = ramp(4.0 * t, vec3(0.36, 0.50, 0.28), vec3(0.60, 0.62, 0.36), vec3(0.74, 0.62, 0.40), vec3(0.56, 0.38, 0.25),
                     vec3(0.84, 0.82, 0.80));
  float line_step = scene.style.x;
  float from_line = abs(fract(y / line_step + 0.5) - 0.5) * line_step;
  float from_bold = abs(fract(y / (5.0 * line_step) + 0.5) - 0.5) * 5.0 * line_step;
  float line = saturate(1.1 - from_line / pixel_rise) * saturate(line_step / (4.0 * pixel_rise) - 0.4);
  float bold = saturate(1.6 - from_bold / pixel_rise) * saturate(5.0 * line_step / (4.0 * pixel_rise) - 0.4);
  return mix(colour, vec3(0.14, 0.065, 0.03), max(0.55 * line, 0.85 * bold));
}
