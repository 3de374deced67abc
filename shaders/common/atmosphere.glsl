// Sun, sky and haze, as radiance with the sun's own light at about 3.5.

float saturate(float value) { return clamp(value, 0.0, 1.0); }

// The sun's light after the air it came through: white at noon, orange when low, none at night.
vec3 sun_light() {
  float rise = scene.sun.y;
  vec3 low = vec3(1.0, 0.44, 0.16);
  vec3 high = vec3(1.0, 0.94, 0.84);
  return 3.5 * mix(low, high, smoothstep(-0.02, 0.42, rise)) * smoothstep(-0.07, 0.10, rise);
}

float daylight() { return smoothstep(-0.18, 0.22, scene.sun.y); }

// The sky's radiance towards `direction`, without the sun's disc; below the horizon it is the haze's.
vec3 sky_light(vec3 direction) {
  // The height above the horizon, bent softly to 0 so that no line shows there.
  float up = 0.5 * (direction.y + sqrt(direction.y * direction.y + 0.004));
  float day = daylight();
  vec3 zenith = mix(vec3(0.012, 0.02, 0.05), vec3(0.045, 0.155, 0.48), day);
  vec3 horizon = mix(vec3(0.03, 0.035, 0.06), vec3(0.46, 0.635, 0.89), day);
  float low_sun = 1.0 - smoothstep(0.0, 0.38, scene.sun.y);
  float toward = max(dot(direction, scene.sun.xyz), 0.0);
  float around = max(dot(normalize(vec3(direction.x, 0.0, direction.z) + vec3(1e-6, 0.0, 0.0)),
                         normalize(vec3(scene.sun.x, 0.0, scene.sun.z) + vec3(1e-6, 0.0, 0.0))), 0.0);
  horizon = mix(horizon, vec3(1.0, 0.62, 0.36) * day, 0.55 * low_sun * around);
  vec3 colour = mix(horizon, zenith, 1.0 - exp(-5.2 * max(up - 0.012, 0.0)));
  float glow = 0.10 * pow(toward, 6.0) + 0.16 * pow(toward, 40.0) + 0.35 * pow(toward, 400.0);
  return colour + sun_light() * glow * exp(-1.4 * up);
}

// `radiance` seen from the eye across `offset` metres of air.
vec3 through_haze(vec3 radiance, vec3 offset) {
  float distance_m = length(offset);
  vec3 direction = offset / max(distance_m, 1e-3);
  // The mean density of air that thins with height, along the way.
  float depth = scene.heights.w;
  float low = (scene.anchor_from_eye.w - scene.heights.x) / depth;
  float high = low + offset.y / depth;
  float thin_low = exp(-max(low, -1.0));
  float thin_high = exp(-max(high, -1.0));
  float mean = abs(high - low) < 1e-3 ? thin_low : (thin_low - thin_high) / (max(high, -1.0) - max(low, -1.0) + 1e-6);
  float air = scene.sun.w * distance_m * clamp(mean, 0.0, 3.0);
  vec3 kept = exp(-air * vec3(0.72, 0.94, 1.22));
  vec3 haze = sky_light(normalize(vec3(direction.x, max(direction.y, 0.015), direction.z)));
  haze = mix(haze, haze * vec3(0.80, 0.92, 1.06), 0.6);
  return radiance * kept + haze * (1.0 - kept);
}

// Radiance to a displayable colour (after the curve of Narkowicz, "ACES Filmic Tone Mapping Curve", 2016), dithered so
// that smooth skies do not band in 8 bits.
vec3 displayed(vec3 radiance, vec2 pixel) {
  vec3 x = 0.62 * radiance;
  vec3 mapped = clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
  float noise = fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
  // A step of the 8-bit sRGB scale, in linear light.
  vec3 step_size = mix(vec3(1.0 / 3294.6), 2.4 / 255.0 * pow(max(mapped, vec3(1e-4)), vec3(0.583)) / 1.055, step(0.0031, mapped));
  return mapped + (noise - 0.5) * step_size;
}
