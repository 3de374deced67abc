#version 460
// One thread is one pixel of ground: reflectance by the colour mode, lit by sun and sky, seen through haze.
#include "shaders/common/scene.glsl"
#include "shaders/common/atmosphere.glsl"
#include "shaders/common/ground.glsl"

layout(constant_id = 0) const bool kLines = false;

layout(location = 0) in vec3 in_position;
layout(location = 1) centroid in vec3 in_normal;  // never beyond the triangle, where it would lie
layout(location = 2) in vec2 in_uv;
layout(location = 3) in float in_alpha;
layout(location = 4) in vec3 in_corner;
layout(location = 5) flat in int in_lod;
layout(location = 6) flat in int in_is_wall;
layout(location = 0) out vec4 out_colour;

vec3 wall_colour(vec3 place) {
  float span = max(scene.heights.y - scene.heights.x, 1e-3);
  float bend = 0.05 * span * value_noise(place.xz / (0.02 * scene.style.w));
  float layer = value_noise(vec2((place.y + bend) / (0.035 * span), 0.5));
  return mix(vec3(0.125, 0.100, 0.080), vec3(0.235, 0.200, 0.165), layer);
}

// Sea from above: dark water that mirrors the sky, and the sun in its ripples.
vec3 sea_light(vec3 place, vec3 view, vec3 sun_seen) {
  float depth = saturate((scene.heights.z - place.y) / (0.15 * max(scene.heights.y - scene.heights.x, 1.0)));
  vec3 body = mix(vec3(0.020, 0.085, 0.105), vec3(0.008, 0.030, 0.060), depth) * (0.3 + 0.7 * daylight());
  float facing = saturate(-view.y);
  float mirror = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
  vec3 reflected = sky_light(normalize(vec3(view.x, abs(view.y) + 0.05, view.z)));
  vec3 halfway = normalize(scene.sun.xyz - view);
  float glitter = 0.25 * pow(saturate(halfway.y), 220.0);
  return mix(body, reflected, min(mirror, 0.75)) + sun_seen * glitter;
}

void main() {
  vec3 offset = in_position + scene.anchor_from_eye.xyz;
  float pixel_m = max(length(fwidth(in_position)), 1e-3);
  float pixel_rise = max(fwidth(in_position.y), 1e-4);
  // Across the triangle from each of its edges, in pixels.
  vec3 slope_x = dFdx(in_corner);
  vec3 slope_y = dFdy(in_corner);
  vec3 per_pixel = max(sqrt(slope_x * slope_x + slope_y * slope_y), vec3(1e-6));
  vec3 corner_px = in_corner / per_pixel;
  // A triangle with a hole's vertex is not drawn.
  if (in_alpha < 0.999) {
    discard;
  }
  vec3 view = normalize(offset);
  vec3 normal = normalize(in_normal);
  vec3 place = in_position;
  vec2 seen = vec2(1.0);
  if (scene.mode.y == 1 && in_is_wall == 0) {
    // Nodes double in size with the distance, and their shadows blur with them: detail that is not drawn casts none.
    float level = max(log2(length(offset)) + scene.right.w, 0.0);
    seen = textureLod(light_texture, in_position.xz * scene.light_map.xy + scene.light_map.zw, level).rg;
  }

  vec3 albedo;
  bool is_natural = scene.mode.x == kColourRelief || scene.mode.x == kColourDrape;
  if (!is_natural) {
    seen.x = 1.0;  // maps are read by their colours: no shadow is cast on them
  }
  bool is_sea = scene.mode.w == 1 && place.y <= scene.heights.z + 0.01;
  if (in_is_wall == 1) {
    albedo = wall_colour(place);
  } else if (scene.mode.x == kColourSlope) {
    albedo = slope_colour(normal);
  } else if (scene.mode.x == kColourLod) {
    albedo = lod_colour(in_lod);
  } else if (scene.mode.x == kColourContour) {
    albedo = is_sea ? vec3(0.12, 0.22, 0.32) : contour_colour(place.y, pixel_rise);
  } else if (scene.mode.x == kColourDrape) {
    albedo = textureLod(drape_texture, in_uv, 0.0).rgb;
  } else {
    Ground ground = relief_ground(place, normal, pixel_m);
    albedo = ground.albedo;
    normal = bumped(normal, place, ground.bump_m);
  }

  vec3 sun_seen = sun_light() * seen.x;
  float facing = max(dot(normal, scene.sun.xyz), 0.0);
  float sky_part = seen.y * seen.y * (0.5 + 0.5 * normal.y);
  vec3 overhead = mix(vec3(0.02, 0.025, 0.05), vec3(0.27, 0.38, 0.60), daylight());
  vec3 bounced = 0.16 * albedo * sun_light() * max(scene.sun.y, 0.0) * (1.0 - 0.6 * sky_part);
  vec3 light = albedo * (sun_seen * facing + overhead * sky_part + bounced);
  if (in_is_wall == 1) {
    // The cut through the ground is lit as in a studio, so that no side of the model goes black.
    light = albedo * daylight() * (0.75 + 0.35 * abs(normal.x));
  }
  if (is_sea && in_is_wall == 0 && scene.mode.x == kColourRelief) {
    light = sea_light(place, view, sun_seen);
  }
  if (kLines && in_is_wall == 0) {
    float nearest = min(corner_px.x, min(corner_px.y, corner_px.z));
    // Triangles of a few pixels would be lines alone: let them fade.
    float across = 1.0 / max(per_pixel.x, max(per_pixel.y, per_pixel.z));
    float line = (1.0 - smoothstep(0.25, 0.95, nearest)) * smoothstep(1.2, 5.5, across);
    light = mix(light, vec3(0.012, 0.014, 0.020), 0.78 * line);
  }
  float haze_share = is_natural ? 1.0 : 0.45;
  vec3 hazy = through_haze(light, offset);
  out_colour = vec4(displayed(mix(light, hazy, haze_share), gl_FragCoord.xy), 1.0);
}
