// Draws nodes: vertices are read from the words that the library wrote, by bits, and shaded. One instance a node, whose
// words stand in a row of a texture; rows are uploaded when their words change.
import * as THREE from './three.module.min.js';

export const COLOURS = ['relief', 'slope', 'lod', 'contour'];

const SKY = `
uniform vec3 sun;  // where it stands
vec3 sky(vec3 direction) {
  vec3 colour = mix(vec3(0.60, 0.71, 0.82), vec3(0.10, 0.24, 0.50), 1.0 - exp(-3.6 * max(direction.y, 0.0)));
  colour = mix(colour, vec3(0.24, 0.29, 0.35), smoothstep(0.0, -0.6, direction.y));
  return colour + vec3(0.26, 0.22, 0.15) * pow(max(dot(direction, sun), 0.0), 48.0);
}
// For the screen, with noise of a step of 8 bits so that smooth skies do not band.
vec3 displayed(vec3 light) {
  vec3 mapped = light * (1.0 + 0.15 * light) / (1.0 + 0.62 * light);
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  return pow(clamp(mapped, 0.0, 1.0), vec3(1.0 / 2.2)) + (noise - 0.5) / 255.0;
}`;

// One run a vertex: instance = node, vertex = its number in the node.
const GROUND_VERTEX = `
precision highp float;
precision highp int;
precision highp usampler2D;
uniform usampler2D words;
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
in vec2 node;  // its row of words, and its lod
out vec3 place;
out vec3 normal;
out float ground;
out vec2 grid;
flat out int level;
const uint HOLE = 0x80008000u;
void main() {
  uvec4 word = texelFetch(words, ivec2(gl_VertexID, int(node.x)), 0);
  place = uintBitsToFloat(word.xyz);
  vec2 across = vec2(ivec2(int(word.w << 16) >> 16, int(word.w) >> 16)) / 32767.0;
  normal = vec3(across.x, sqrt(max(1.0 - dot(across, across), 0.0)), across.y);
  ground = word.w == HOLE ? 0.0 : 1.0;
  grid = vec2(gl_VertexID % SIDE, gl_VertexID / SIDE);
  level = int(node.y);
  gl_Position = projectionMatrix * (viewMatrix * vec4(place, 1.0));
}`;

// One run a pixel of ground.
const GROUND_FRAGMENT = `
precision highp float;
precision highp int;
uniform vec3 eye;      // from the anchor
uniform vec2 heights;  // the field's least and greatest
uniform float haze;    // a metre
uniform int colour;
uniform bool lines;
uniform vec2 anchor;      // metres from the field's origin
uniform float texture_m;  // the greatest features of the ground's colour
uniform float contour_m;  // between contours
in vec3 place;
in vec3 normal;
in float ground;
in vec2 grid;
flat in int level;
out vec4 shown;
${SKY}
vec3 ramp(float t, vec3 a, vec3 b, vec3 c, vec3 d, vec3 e) {
  vec3 mixed = mix(a, b, clamp(t, 0.0, 1.0));
  mixed = mix(mixed, c, clamp(t - 1.0, 0.0, 1.0));
  mixed = mix(mixed, d, clamp(t - 2.0, 0.0, 1.0));
  return mix(mixed, e, clamp(t - 3.0, 0.0, 1.0));
}
float hashed(ivec2 cell) {
  uint h = uint(cell.x) * 0x9e3779b9u ^ uint(cell.y) * 0x85ebca6bu;
  h = (h ^ h >> 16) * 0x7feb352du;
  h = (h ^ h >> 15) * 0x846ca68bu;
  return float(h >> 9) / 8388608.0;
}
// Smooth noise about 0 with features of \`size\` metres, and half and a quarter of it, as far as a pixel resolves them.
float noise(float size) {
  float pixel = max(length(fwidth(place.xz)), 1e-3), sum = 0.0;
  for (int octave = 0; octave < 6; ++octave, size *= 0.43) {
    vec2 at = (place.xz + anchor) / size + 7.3 * float(octave), cell = floor(at), f = at - cell;
    f = f * f * (3.0 - 2.0 * f);
    ivec2 c = ivec2(cell);
    float value = mix(mix(hashed(c), hashed(c + ivec2(1, 0)), f.x), mix(hashed(c + ivec2(0, 1)), hashed(c + 1), f.x), f.y);
    sum += (value - 0.5) * exp2(-0.5 * float(octave)) * clamp(size / (2.5 * pixel) - 0.4, 0.0, 1.0);
  }
  return sum;
}
vec3 relief(vec3 n) {
  float rough = noise(texture_m);
  float t = (place.y - heights.x) / max(heights.y - heights.x, 1e-3) + 0.06 * rough;
  vec3 tint = ramp(4.6 * t, vec3(0.170, 0.195, 0.085), vec3(0.070, 0.105, 0.045), vec3(0.150, 0.150, 0.075),
                   vec3(0.265, 0.230, 0.180), vec3(0.560, 0.550, 0.540));
  float steep = smoothstep(0.10, 0.32, 1.0 - n.y + 0.10 * rough);
  return mix(tint, vec3(0.195, 0.178, 0.160), 0.8 * steep) * (1.0 + 0.40 * rough);
}
vec3 lod_colour() {
  const vec3 colours[8] = vec3[](vec3(0.360, 0.060, 0.036), vec3(0.430, 0.165, 0.020), vec3(0.370, 0.285, 0.040), vec3(0.105, 0.235, 0.065),
                                 vec3(0.020, 0.195, 0.200), vec3(0.034, 0.098, 0.270), vec3(0.118, 0.042, 0.220), vec3(0.245, 0.030, 0.138));
  return colours[level & 7];
}
vec3 slope_colour(vec3 n) {
  float slope_degrees = degrees(acos(clamp(n.y, 0.0, 1.0)));
  return ramp(slope_degrees / 12.0, vec3(0.17, 0.22, 0.18), vec3(0.36, 0.32, 0.07), vec3(0.44, 0.14, 0.03),
              vec3(0.28, 0.03, 0.04), vec3(0.10, 0.02, 0.13));
}
vec3 contour_colour(float pixel_rise) {
  float t = (place.y - heights.x) / max(heights.y - heights.x, 1e-3);
  vec3 tint = ramp(4.0 * t, vec3(0.165, 0.255, 0.125), vec3(0.335, 0.345, 0.180), vec3(0.400, 0.310, 0.180),
                   vec3(0.290, 0.180, 0.110), vec3(0.520, 0.505, 0.490));
  vec2 apart = contour_m * vec2(1.0, 5.0);
  vec2 away = abs(fract(place.y / apart + 0.5) - 0.5) * apart / pixel_rise;
  vec2 covers = clamp(vec2(1.25, 1.7) - away, 0.0, 1.0) * clamp(apart / (4.0 * pixel_rise) - 0.4, 0.0, 1.0);
  return mix(tint, vec3(0.060, 0.025, 0.012), max(0.62 * covers.x, 0.9 * covers.y));
}
// How much of the pixel a line of the node's triangles covers: whole numbers along x, z and the diagonal.
float line() {
  vec3 at = vec3(grid, grid.x + grid.y);
  vec3 per_pixel = max(fwidth(at), vec3(1e-6));
  vec3 away = abs(fract(at + 0.5) - 0.5) / per_pixel;
  vec3 covers = (1.0 - smoothstep(0.2, 1.0, away)) * smoothstep(0.45, 0.12, per_pixel);
  return max(covers.x, max(covers.y, covers.z));
}
void main() {
  float covered = line(), pixel_rise = max(fwidth(place.y), 1e-4);
  if (ground < 0.999) discard;  // a triangle with a hole's vertex is not drawn
  vec3 n = normalize(normal);
  vec3 albedo = colour == 0 ? relief(n) : colour == 1 ? slope_colour(n) : colour == 2 ? lod_colour() : contour_colour(pixel_rise);
  vec3 light = albedo * (vec3(3.1, 2.85, 2.45) * max(dot(n, sun), 0.0) + vec3(0.30, 0.40, 0.56) * (0.45 + 0.55 * n.y));
  if (lines) light = mix(light, vec3(0.01), 0.75 * covered);
  vec3 offset = place - eye;
  float distance_m = length(offset);
  float air = 1.0 - exp(-haze * distance_m);
  vec3 direction = offset / max(distance_m, 1e-3);
  shown = vec4(displayed(mix(light, sky(vec3(direction.x, 0.02, direction.z)), air)), 1.0);
}`;

const SKY_VERTEX = `
precision highp float;
uniform vec3 right, up, forward;
in vec2 position;
out vec3 direction;
void main() {
  direction = forward + position.x * right + position.y * up;
  gl_Position = vec4(position, 1.0, 1.0);
}`;

const SKY_FRAGMENT = `
precision highp float;
in vec3 direction;
out vec4 shown;
${SKY}
void main() { shown = vec4(displayed(sky(normalize(direction))), 1.0); }`;

const material = (vertexShader, fragmentShader, uniforms, more = {}) => new THREE.RawShaderMaterial(
    {glslVersion: THREE.GLSL3, vertexShader: vertexShader.trim(), fragmentShader: fragmentShader.trim(),
     uniforms: Object.fromEntries(Object.entries(uniforms).map(([name, value]) => [name, {value}])), ...more});

export class Ground {
  // `indices`: the triangles of a node of `side` x `side` vertices, whose words fill `slot` texels, four words each.
  constructor(canvas, indices, side, slot) {
    this.renderer = new THREE.WebGLRenderer({canvas, antialias: true, powerPreference: 'high-performance'});
    this.renderer.sortObjects = false;
    this.camera = new THREE.PerspectiveCamera();
    this.camera.matrixAutoUpdate = false;
    this.scene = new THREE.Scene();
    this.slot = slot;

    const triangle = new THREE.BufferGeometry();
    triangle.setAttribute('position', new THREE.BufferAttribute(new Float32Array([-1, -1, 3, -1, -1, 3]), 2));
    this.sky = material(SKY_VERTEX, SKY_FRAGMENT, {right: new THREE.Vector3(), up: new THREE.Vector3(),
                        forward: new THREE.Vector3(), sun: new THREE.Vector3()}, {depthWrite: false, depthFunc: THREE.LessEqualDepth});
    this.shading = material(GROUND_VERTEX.replaceAll('SIDE', side), GROUND_FRAGMENT,
                            {words: null, eye: new THREE.Vector3(), sun: new THREE.Vector3(), anchor: new THREE.Vector2(), texture_m: 1,
                             contour_m: 1, heights: new THREE.Vector2(), haze: 0, colour: 0, lines: false});
    this.geometry = new THREE.InstancedBufferGeometry();
    this.geometry.setIndex(new THREE.BufferAttribute(new Uint16Array(indices), 1));
    for (const [geometry, shading] of [[this.geometry, this.shading], [triangle, this.sky]]) {
      const mesh = new THREE.Mesh(geometry, shading);
      mesh.frustumCulled = false;
      this.scene.add(mesh);
    }
  }

  resize(width, height) { this.renderer.setSize(width, height, false); }

  // Takes what a field has built; memory is only read.
  take({words, slots, nodes, changed}) {
    if (slots !== this.texture?.image.height) this.reserve(slots);
    this.texture.image.data = words;
    for (let i = 0, end; i < changed.length; i = end) {
      for (end = i + 1; changed[end] === changed[end - 1] + 1;) ++end;
      const rows = new THREE.Box2(new THREE.Vector2(0, changed[i]), new THREE.Vector2(this.slot, changed[end - 1] + 1));
      this.renderer.copyTextureToTexture(this.texture, this.texture, rows, rows.min);
    }
    const attribute = this.geometry.getAttribute('node');
    attribute.array.set(nodes);
    attribute.needsUpdate = true;
    this.geometry.instanceCount = nodes.length / 2;
  }

  // Room for the words of all slots.
  reserve(slots) {
    this.texture?.dispose();
    this.texture = new THREE.DataTexture(null, this.slot, slots, THREE.RGBAIntegerFormat, THREE.UnsignedIntType);
    this.texture.internalFormat = 'RGBA32UI';
    this.texture.source.dataReady = false;  // room alone
    this.texture.needsUpdate = true;
    this.renderer.initTexture(this.texture);
    this.shading.uniforms.words.value = this.texture;
    this.geometry.dispose();
    this.geometry.setAttribute('node', new THREE.InstancedBufferAttribute(new Uint16Array(2 * slots), 2));
  }

  // `view`: eye, right, up and forward in metres, `reach` (tangents of half the field of view), near and far; places are
  // drawn from `anchor`; `sun`: the direction to it;
  // `contour`: metres between contours.
  draw(view, anchor, {colour, lines, contour, sun, heights, size}) {
    const {camera} = this;
    camera.position.set(view.eye[0] - anchor[0], view.eye[1], view.eye[2] - anchor[1]);
    camera.matrix.makeBasis(new THREE.Vector3(...view.right), new THREE.Vector3(...view.up),
                            new THREE.Vector3(...view.forward).negate()).setPosition(camera.position);
    camera.matrixWorldNeedsUpdate = true;
    const [x, y] = view.reach.map((reach) => reach * view.near);
    camera.projectionMatrix.makePerspective(-x, x, y, -y, view.near, view.far);
    const ground = this.shading.uniforms, sky = this.sky.uniforms;
    ground.eye.value.copy(camera.position);
    ground.heights.value.set(...heights);
    ground.anchor.value.set(...anchor);
    ground.texture_m.value = Math.min(Math.max(size / 90, 10), 1500);
    // Air thins out below an eye that is high up.
    ground.haze.value = 0.25 / size * Math.exp(-4 * Math.max(view.eye[1] - heights[1], 0) / size);
    ground.colour.value = COLOURS.indexOf(colour);
    ground.lines.value = lines;
    ground.contour_m.value = contour;
    for (const uniforms of [ground, sky]) uniforms.sun.value.set(...sun);
    sky.right.value.set(...view.right).multiplyScalar(view.reach[0]);
    sky.up.value.set(...view.up).multiplyScalar(view.reach[1]);
    sky.forward.value.set(...view.forward);
    this.renderer.render(this.scene, camera);
  }
}
