// The page: a camera over the field, its frames, its controls and figures.
import {Camera} from './camera.js';
import {Field, NODE_QUADS} from './field.js';
import {COLOURS, Ground} from './ground.js';
import {Place, element, roundLength, tenths, whole} from './place.js';

const BUDGET_BYTES = 128 * 2 ** 20;
const CLEARANCE_M = 2;
const PICK_MS = 60;
const SUN = [318, 28];  // degrees clockwise from north, and above the horizon
const CHECKED = {wireframe: 'KeyX', ridges: null, frozen: 'KeyC'};
const CONTROLS = ['colour', 'move', 'error', 'sun', 'sun_height', ...Object.keys(CHECKED)];

const show = (id, text) => { if (element(id).textContent !== text) element(id).textContent = text; };
const degrees = Math.PI / 180;
const ms = (value) => `${tenths.format(value)} ms`;
const mebibytes = (bytes) => `${tenths.format(bytes / 2 ** 20)} MiB`;

function notice(line, isPassing = false) {
  show('notice', line);
  element('notice').hidden = line === '';
  element('notice').classList.toggle('passing', isPassing);
}

class Viewer {
  constructor(field, canvas) {
    this.field = field;
    this.canvas = canvas;
    const {width_m, depth_m} = field.metadata;
    this.size = Math.max(Math.hypot(width_m, depth_m), 1);
    this.ground = new Ground(canvas, field.indices(), NODE_QUADS + 1, field.wasm.node_words() / 4);
    this.camera = new Camera(canvas, this.size, (x, y) => this.groundAt(x, y));
    this.place = new Place(field);
    this.contour = roundLength(Math.max(field.high - field.low, 1e-3) / 16);
    this.fit();
    this.camera.look(...this.overview());
    this.changed = true;
    this.anchor = [0, 0];
    this.pointer = null;   // the mouse over the picture: [x, y] from -1 to 1
    this.pickAt = Infinity;
    this.before = performance.now();
    this.cutMs = this.buildMs = 0;
    this.describe();
    this.connect();
    requestAnimationFrame((now) => this.frame(now));
  }

  // Eye and target: the whole field in the middle of the picture, from the south and a little from the west.
  overview() {
    const {camera, field: {low, high, metadata: {width_m, depth_m}}} = this;
    const before = [camera.eye, camera.target];
    const corners = [0, width_m].flatMap((x) => [0, depth_m].flatMap((z) => [low, high].map((y) => [x, y, z])));
    const moved = (place, x, y) => place.map((value, i) => value + x * camera.right[i] + y * camera.up[i]);
    // From the axis to the least and the greatest of the corners, to the right and up, a metre ahead.
    const spans = () => [camera.right, camera.up].map((axis) => {
      const {eye, forward} = camera;
      const away = corners.map((corner) => {
        const dot = (direction) => direction.reduce((sum, value, i) => sum + value * (corner[i] - eye[i]), 0);
        return dot(forward) > 0 ? dot(axis) / dot(forward) : Infinity;
      });
      return [Math.min(...away), Math.max(...away)];
    });
    let eye, target;
    for (let away = 0.2 * this.size; away < 10 * this.size; away *= 1.03) {
      target = [width_m / 2, (low + high) / 2, depth_m / 2];
      eye = [target[0] - 0.2 * away, target[1] + 0.6 * away, target[2] + 0.8 * away];
      camera.look(eye, target);
      const middle = spans().map(([least, most]) => (least + most) / 2 * camera.distance);
      if (!middle.every(Number.isFinite)) continue;
      [eye, target] = [eye, target].map((place) => moved(place, ...middle));
      camera.look(eye, target);
      if (spans().every(([least, most], i) => Math.max(-least, most) < 0.92 * camera.reach[i])) break;
    }
    camera.look(...before);
    return [eye, target];
  }

  // The ground that is seen at a place of the picture, as far as its pages are here; null where none is.
  groundAt(x, y) {
    const {status, ...hit} = this.field.ray(this.camera.eye, this.camera.direction(x, y), false);
    return status === 'miss' ? null : [hit.x, hit.y, hit.z];
  }

  describe() {
    const {width, height, min, max, spacing_x, spacing_z, crs, spacing_is_known, stops_x, stops_z} = this.field.metadata;
    this.lack = Math.min(stops_x, stops_z) === 1 ? 'One sample across is no ground: there is nothing to draw.' : '';
    const metres = (value) => whole.format(value);
    show('extent', [`${whole.format(width)} \u00d7 ${whole.format(height)} samples`,
                    min === null ? 'no heights' : `${metres(min)} to ${metres(max)} m`,
                    spacing_is_known ? `${tenths.format(spacing_x)} \u00d7 ${tenths.format(spacing_z)} m` : '',
                    crs?.length < 20 ? crs : ''].filter(Boolean).join(' \u00b7 '));
    element('figures').hidden = false;
    notice('');
  }

  // ---- Controls: their state stands in the address, so that a view can be passed on ----

  connect() {
    for (const id of CONTROLS) element(id).addEventListener('input', () => this.control());
    const point = (event) => {
      this.pointer = this.camera.seenAt(event.clientX, event.clientY);
      this.pickAt = performance.now() + PICK_MS;
    };
    for (const name of ['pointermove', 'pointerdown']) this.canvas.addEventListener(name, point);
    this.canvas.addEventListener('pointerleave', (event) => {
      if (event.pointerType !== 'mouse') return;  // a finger's place stays
      this.pointer = null;
      this.place.hide();
    });
    this.canvas.addEventListener('dblclick', () => this.closeUp());
    this.canvas.addEventListener('webglcontextlost', () => notice('The graphics device is lost; load the page again.'));
    element('needle').parentElement.addEventListener('click', () => this.camera.turn(this.camera.yaw, 0));
    window.addEventListener('keydown', (event) => this.key(event));
    window.addEventListener('hashchange', () => this.readAddress());
    element('error').value = Math.log2(1.5);
    [element('sun').value, element('sun_height').value] = SUN;
    this.readAddress();
    this.first = [this.camera.eye, this.camera.target];
    this.canvas.focus({preventScroll: true});
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.tagName === 'SELECT') return;
    const {camera} = this, colour = element('colour');
    for (const [id, code] of Object.entries(CHECKED)) if (code === event.code) element(id).checked ^= 1;
    if (event.code === 'KeyL') colour.selectedIndex = (colour.selectedIndex + 1) % colour.length;
    if (event.code === 'KeyF') camera.travel(...this.overview());
    if (event.code === 'KeyR') camera.travel(...this.first);
    if (event.code === 'KeyT') this.closeUp();
    if (event.code === 'KeyH') document.body.classList.toggle('bare');
    this.control();
  }

  closeUp() {
    const hit = this.pointer && this.groundAt(...this.pointer);
    if (hit) this.camera.closeUp(hit);
  }

  control() {
    const error = 2 ** Number(element('error').value);
    show('error_px', `${tenths.format(error)} px`);
    const [azimuth, height] = ['sun', 'sun_height'].map((id) => Number(element(id).value));
    const [east, up, south] = [Math.sin(azimuth * degrees), Math.sin(height * degrees), -Math.cos(azimuth * degrees)];
    this.look = {colour: element('colour').value, lines: element('wireframe').checked,
                 ridges: element('ridges').checked, frozen: element('frozen').checked, error,
                 sun: [east * Math.cos(height * degrees), up, south * Math.cos(height * degrees)]};
    this.camera.flies = element('move').value === 'fly';
    this.changed = true;
  }

  readAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    const numbers = (name) => words.get(name)?.split(',').map(Number) ?? [];
    const [eye, target, sun] = [numbers('eye'), numbers('target'), numbers('sun')];
    const isPlace = (place) => place.length === 3 && place.every(Number.isFinite);
    if (isPlace(eye) && isPlace(target)) this.camera.look(eye, target);
    if (COLOURS.includes(words.get('colour'))) element('colour').value = words.get('colour');
    if (['orbit', 'fly'].includes(words.get('move'))) element('move').value = words.get('move');
    for (const id of Object.keys(CHECKED)) if (words.has(id)) element(id).checked = words.get(id) === '1';
    if (Number(words.get('error')) > 0) element('error').value = Math.log2(Number(words.get('error')));
    if (sun.length === 2 && sun.every(Number.isFinite)) [element('sun').value, element('sun_height').value] = sun;
    this.control();
  }

  writeAddress() {
    const place = (numbers) => numbers.map((value) => value.toFixed(2)).join(',');
    const sun = [element('sun').value, element('sun_height').value].map(Number);
    const words = [`eye=${place(this.camera.eye)}`, `target=${place(this.camera.target)}`, `colour=${this.look.colour}`,
                   `error=${this.look.error.toFixed(2)}`];
    if (this.camera.flies) words.push('move=fly');
    if (sun.some((value, i) => value !== SUN[i])) words.push(`sun=${sun}`);
    for (const id of ['wireframe', 'ridges']) if (element(id).checked) words.push(`${id}=1`);
    history.replaceState(null, '', `#${words.join('&')}`);
  }

  // ---- Frames ----

  frame(now) {
    try {
      this.step(now);
      requestAnimationFrame((next) => this.frame(next));
    } catch (error) {
      notice(`The view has stopped (${error.message}); load the page again.`);
      console.error(error);
    }
  }

  step(now) {
    const seconds = Math.min((now - this.before) / 1000, 0.1);
    this.before = now;
    this.fit();
    const [x, y, z] = this.camera.eye;
    const under = this.field.height(x, z);
    const floor = under.status === 'surface' ? under.y : this.field.low;
    this.camera.step(seconds, y - floor);
    if (under.status === 'surface') this.camera.keepAbove(under.y + CLEARANCE_M);
    if (now >= this.pickAt && !this.camera.isDragging) this.pick();
    if (!this.camera.moved && !this.changed) return;
    const moved = this.camera.moved;
    this.camera.moved = this.changed = false;
    if (!this.look.frozen) this.select();
    const start = performance.now();
    this.ground.draw({eye: this.camera.eye, right: this.camera.right, up: this.camera.up, forward: this.camera.forward,
                      reach: this.camera.reach, ...this.depths(y - floor)}, this.anchor,
                     {...this.look, heights: [this.field.low, this.field.high], size: this.size,
                                      contour: this.contour});
    this.report(performance.now() - start);
    if (moved) this.measure();
    if (moved && this.pointer) this.pickAt = now + PICK_MS;
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.writeAddress(), 400);
  }

  fit() {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(Math.round(this.canvas.clientWidth * scale), 1);
    const height = Math.max(Math.round(this.canvas.clientHeight * scale), 1);
    if (this.canvas.width === width && this.canvas.height === height) return;
    this.ground.resize(width, height);
    this.camera.moved = true;
  }

  // Near enough for what may stand before the eye, far enough for the whole field.
  depths(clearance) {
    const {width_m, depth_m} = this.field.metadata;
    const [x, y, z] = this.camera.eye;
    const far = Math.hypot(Math.max(x, width_m - x), Math.max(y - this.field.low, this.field.high - y),
                           Math.max(z, depth_m - z));
    return {near: Math.min(Math.max(0.2 * clearance, 0.5), far / 10), far: 1.01 * far};
  }

  select() {
    const {camera, field} = this;
    const start = performance.now();
    const {eye, forward, right, up, reach} = camera;
    const inward = (axis, sign, along) => axis.map((value, i) => forward[i] * along + sign * value);
    const normals = [inward(right, 1, reach[0]), inward(right, -1, reach[0]), inward(up, 1, reach[1]),
                     inward(up, -1, reach[1]), forward];
    field.select({eye, pixelsPerRadian: this.canvas.height / (2 * reach[1]), maxErrorPx: this.look.error,
                  drawsMax: this.look.ridges,
                  planes: normals.map((n) => [...n, -(n[0] * eye[0] + n[1] * eye[1] + n[2] * eye[2])])});
    const selected = performance.now();
    const nodes = field.build();
    this.cutMs = selected - start;
    this.buildMs = performance.now() - selected;
    this.ground.take(nodes);
    this.anchor = nodes.anchor;
  }

  report(drawMs) {
    const {field} = this;
    show('nodes', `${whole.format(field.drawn)} of ${whole.format(field.nodes)}`);
    show('triangles', whole.format(field.drawn * 2 * NODE_QUADS * NODE_QUADS));
    show('pages', whole.format(field.pages));
    show('missing', whole.format(field.missing.length));
    show('held', `${mebibytes(field.heldBytes)} of ${mebibytes(BUDGET_BYTES)}`);
    show('cut_ms', ms(this.cutMs));
    show('build_ms', ms(this.buildMs));
    show('draw_ms', ms(drawMs));
    notice(field.error ?? this.lack, true);
  }

  pick() {
    this.pickAt = Infinity;
    if (!this.pointer) return;
    this.place.pick(this.camera.eye, this.camera.direction(...this.pointer));
    if (this.place.isLoading) this.changed = true;  // the next cut wants the page
  }

  measure() {
    const {camera} = this;
    const hit = this.groundAt(0, 0);
    const depth = hit ? Math.hypot(...hit.map((value, i) => value - camera.eye[i])) : 0;
    this.place.scale(2 * depth * camera.reach[1] / this.canvas.clientHeight, camera.yaw);
  }

  // Pages have come, or a fetch has failed.
  arrive() {
    this.changed = true;
    if (this.place.isLoading) this.pickAt = 0;
  }
}

async function start() {
  const canvas = element('view');
  let viewer;
  try {
    if (!canvas.getContext('webgl2')) {
      notice('This browser offers no WebGL 2, which the viewer draws with; try another, or turn on hardware acceleration.');
      return;
    }
    const field = await Field.open(location.href.replace(/#.*/, ''), {budgetBytes: BUDGET_BYTES, onChange: () => viewer?.arrive()});
    viewer = new Viewer(field, canvas);
  } catch (error) {
    notice(`The store cannot be shown: ${error.message}`);
    console.error(error);
  }
}

start();
