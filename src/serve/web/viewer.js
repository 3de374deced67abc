// The page: a camera over the field, its frames, its controls and figures.
import {Camera} from './camera.js';
import {Field, NODE_QUADS} from './field.js';
import {COLOURS, Ground} from './ground.js';

const BUDGET_BYTES = 128 * 2 ** 20;
const CLEARANCE_M = 2;
const PICK_MS = 60;

const element = (id) => document.getElementById(id);
const show = (id, text) => { if (element(id).textContent !== text) element(id).textContent = text; };
const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const tenths = new Intl.NumberFormat('en', {minimumFractionDigits: 1, maximumFractionDigits: 1});
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
    this.camera = new Camera(canvas, this.size);
    this.fit();
    this.lookOver();
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

  // The whole field, from the south and a little from the west.
  lookOver() {
    const {camera, field: {low, high, metadata: {width_m, depth_m}}} = this;
    const middle = [width_m / 2, (low + high) / 2, depth_m / 2];
    const [reach_x, reach_y] = camera.reach;
    const isSeen = (x, z) => {
      const offset = [x, high, z].map((value, i) => value - camera.eye[i]);
      const dot = (axis) => axis.reduce((sum, value, i) => sum + value * offset[i], 0);
      const ahead = 0.94 * dot(camera.forward);
      return Math.abs(dot(camera.right)) < reach_x * ahead && Math.abs(dot(camera.up)) < reach_y * ahead;
    };
    for (let away = 0.2 * this.size; away < 10 * this.size; away *= 1.03) {
      camera.look([middle[0] - 0.2 * away, middle[1] + 0.6 * away, middle[2] + 0.8 * away], middle);
      if ([0, width_m].every((x) => [0, depth_m].every((z) => isSeen(x, z)))) return;
    }
  }

  describe() {
    const {width, height, min, max, spacing_x, spacing_z, crs, spacing_is_known} = this.field.metadata;
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
    for (const id of ['colour', 'move', 'wireframe', 'ridges', 'frozen', 'error']) {
      element(id).addEventListener('input', () => this.control());
    }
    const box = () => this.canvas.getBoundingClientRect();
    this.canvas.addEventListener('pointermove', (event) => {
      const {left, top, width, height} = box();
      this.pointer = [2 * (event.clientX - left) / width - 1, 1 - 2 * (event.clientY - top) / height];
      this.pickAt = performance.now() + PICK_MS;
    });
    this.canvas.addEventListener('pointerleave', () => { this.pointer = null; element('place').hidden = true; });
    this.canvas.addEventListener('webglcontextlost', () => notice('The graphics device is lost; load the page again.'));
    window.addEventListener('hashchange', () => this.readAddress());
    element('error').value = Math.log2(1.5);
    this.readAddress();
  }

  control() {
    const error = 2 ** Number(element('error').value);
    show('error_px', `${tenths.format(error)} px`);
    this.look = {colour: element('colour').value, lines: element('wireframe').checked,
                 ridges: element('ridges').checked, frozen: element('frozen').checked, error};
    this.camera.flies = element('move').value === 'fly';
    this.changed = true;
  }

  readAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    const place = (name) => words.get(name)?.split(',').map(Number);
    const [eye, target] = [place('eye'), place('target')];
    const isPlace = (numbers) => numbers?.length === 3 && numbers.every(Number.isFinite);
    if (isPlace(eye) && isPlace(target)) this.camera.look(eye, target);
    if (COLOURS.includes(words.get('colour'))) element('colour').value = words.get('colour');
    for (const id of ['wireframe', 'ridges', 'frozen']) if (words.has(id)) element(id).checked = words.get(id) === '1';
    if (Number(words.get('error')) > 0) element('error').value = Math.log2(Number(words.get('error')));
    this.control();
  }

  writeAddress() {
    const place = (numbers) => numbers.map((value) => value.toFixed(1)).join(',');
    const words = [`eye=${place(this.camera.eye)}`, `target=${place(this.camera.target)}`, `colour=${this.look.colour}`,
                   `error=${this.look.error.toFixed(2)}`];
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
                     {...this.look, heights: [this.field.low, this.field.high], size: this.size});
    this.report(performance.now() - start);
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
    notice(field.error ?? '', true);
  }

  // The ground under the mouse: the ray and the height of the finest surface, whatever is drawn.
  pick() {
    this.pickAt = Infinity;
    if (!this.pointer) return;
    const {eye, forward, right, up, reach} = this.camera;
    const [px, py] = this.pointer;
    const hit = this.field.ray(eye, forward.map((f, i) => f + px * reach[0] * right[i] + py * reach[1] * up[i]));
    element('place').hidden = hit.status === 'miss';
    if (hit.status === 'not_loaded') {
      show('height', '\u2026');
      show('where', 'loading');
      this.changed = true;  // the next cut wants the page
      return;
    }
    const height = this.field.height(hit.x, hit.z);
    show('height', height.status === 'surface' ? `${tenths.format(height.y)} m` : '');
    show('where', `x ${whole.format(hit.x)} \u00b7 z ${whole.format(hit.z)} m`);
  }

  // Pages have come, or a fetch has failed.
  arrive() {
    this.changed = true;
    if (this.pointer && element('where').textContent === 'loading') this.pickAt = 0;
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
