// A camera that orbits a place or flies, moved by mouse, touch and keys. Metres: x east, y up, z south.
const LIMIT = 89 * Math.PI / 180;
const FOV = 45 * Math.PI / 180;
const TRIP_S = 1.2;
const KEYS = {KeyW: [0, 0, 1], KeyS: [0, 0, -1], KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyQ: [0, -1, 0], KeyE: [0, 1, 0],
              ArrowUp: [0, 0, 1], ArrowDown: [0, 0, -1], ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], Space: [0, 1, 0]};

const along = (a, scale, b) => a.map((value, i) => value + scale * b[i]);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export class Camera {
  // `size`: of the field, metres. `ground(x, y)`: the ground under a place of the picture, -1 to 1 each, or null.
  constructor(canvas, size, ground) {
    this.canvas = canvas;
    this.size = size;
    this.ground = ground;
    this.flies = false;
    this.moved = true;
    this.yaw = 0;      // where the eye stands of the target: 0 south, a quarter turn east
    this.pitch = 0.6;  // how high
    this.distance = size;
    this.target = [0, 0, 0];
    this.trip = null;
    this.pressed = new Set();
    this.pointers = new Map();
    canvas.addEventListener('pointerdown', (event) => this.press(event));
    canvas.addEventListener('pointermove', (event) => this.drag(event));
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => this.release(event));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.approach(Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.001)),
                    this.ground(...this.seenAt(event.clientX, event.clientY)));
    }, {passive: false});
    canvas.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !(event.code in KEYS || event.code.startsWith('Shift'))) return;
      this.pressed.add(event.code);
      if (event.code in KEYS) event.preventDefault();
    });
    canvas.addEventListener('keyup', (event) => this.pressed.delete(event.code));
    for (const name of ['blur', 'visibilitychange']) window.addEventListener(name, () => this.pressed.clear());
  }

  get isDragging() { return this.pointers.size > 0; }
  get forward() {
    const flat = Math.cos(this.pitch);
    return [-Math.sin(this.yaw) * flat, -Math.sin(this.pitch), -Math.cos(this.yaw) * flat];
  }
  get right() { return [Math.cos(this.yaw), 0, -Math.sin(this.yaw)]; }
  get up() {
    const [fx, fy, fz] = this.forward, [rx, , rz] = this.right;
    return [-rz * fy, rz * fx - rx * fz, rx * fy];
  }
  get eye() { return along(this.target, -this.distance, this.forward); }
  get reach() {
    const y = Math.tan(FOV / 2);
    return [y * this.canvas.width / this.canvas.height, y];
  }

  // A place of the page as one of the picture, and the direction there.
  seenAt(pageX, pageY) {
    const {left, top, width, height} = this.canvas.getBoundingClientRect();
    return [2 * (pageX - left) / width - 1, 1 - 2 * (pageY - top) / height];
  }
  direction(x, y) { return along(along(this.forward, x * this.reach[0], this.right), y * this.reach[1], this.up); }

  look(eye, target) {
    const away = eye.map((value, i) => value - target[i]);
    this.distance = Math.max(Math.hypot(...away), 1);
    this.pitch = clamp(Math.asin(clamp(away[1] / this.distance, -1, 1)), -LIMIT, LIMIT);
    this.yaw = Math.atan2(away[0], away[2]);
    this.target = along(eye, this.distance, this.forward);
    this.moved = true;
  }

  // Goes there within TRIP_S; ends by itself, or with whatever else moves the camera.
  travel(eye, target) { this.trip = {from: [this.eye, this.target], to: [eye, target], passed: 0}; }

  // To what is seen at `hit`, from nearer and well above it.
  closeUp(hit) {
    const away = this.eye.map((value, i) => value - hit[i]);
    const distance = Math.hypot(...away);
    const part = Math.min(Math.max(0.2, 160 / distance), 1);
    this.travel([hit[0] + part * away[0], hit[1] + part * Math.max(away[1], 0.35 * distance), hit[2] + part * away[2]], hit);
  }

  // Turns about the target, or about the eye where it flies.
  turn(x, y) {
    const eye = this.eye;
    this.yaw -= x;
    this.pitch = clamp(this.pitch + y, -LIMIT, LIMIT);
    if (this.flies) this.target = along(eye, this.distance, this.forward);
    this.moved = true;
  }

  // The eye and the target, across the picture.
  shift(x, y) {
    const [fx, , fz] = this.forward;
    const flat = Math.hypot(fx, fz);
    this.target = along(along(this.target, x, this.right), y, [fx / flat, 0, fz / flat]);
    this.moved = true;
  }

  // Makes all distances from `place`, or from the target, `factor` times as long.
  approach(factor, place) {
    this.trip = null;
    const held = clamp(this.distance * factor, 1, 20 * this.size) / this.distance;
    this.target = along(place ?? this.target, held, along(this.target, -1, place ?? this.target));
    this.distance *= held;
    this.moved = true;
  }

  // Moves by the keys that are pressed and along the trip; `clearance`: metres over the ground, which set the pace.
  step(seconds, clearance) {
    const move = [0, 0, 0];
    for (const code of this.pressed) KEYS[code]?.forEach((value, i) => { move[i] += value; });
    if (move.some((value) => value !== 0)) {
      this.trip = null;
      const pace = seconds * (this.pressed.has('ShiftLeft') || this.pressed.has('ShiftRight') ? 4 : 1) *
          clamp(clearance, 20, this.size / 2);
      this.target = along(along(along(this.target, pace * move[0], this.right), pace * move[1], [0, 1, 0]),
                          pace * move[2], this.forward);
      this.moved = true;
    }
    if (!this.trip) return;
    const {from, to} = this.trip;
    const part = Math.min((this.trip.passed += seconds) / TRIP_S, 1);
    const eased = part * part * (3 - 2 * part);
    this.look(...from.map((place, i) => along(place, eased, along(to[i], -1, place))));
    if (part === 1) this.trip = null;
  }

  // Lifts the eye to `y` at least.
  keepAbove(y) {
    const lack = y - this.eye[1];
    if (!(lack > 0)) return;
    this.target = along(this.target, lack, [0, 1, 0]);
    this.moved = true;
  }

  // What is seen in the middle is what an orbit turns about.
  press(event) {
    this.trip = null;
    const hit = this.pointers.size === 0 && !this.flies ? this.ground(0, 0) : null;
    if (hit) {
      const {eye} = this;
      this.distance = Math.max(Math.hypot(...along(hit, -1, eye)), 1);
      this.target = along(eye, this.distance, this.forward);
    }
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.focus({preventScroll: true});
    this.canvas.classList.add('dragging');
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    if (this.pointers.size === 0) this.canvas.classList.remove('dragging');
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const spread = () => {
      const [a, b] = this.pointers.values();
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    };
    const apart = this.pointers.size === 2 ? spread() : 0;
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    const x = event.clientX - before[0], y = event.clientY - before[1];
    const metres = 2 * this.distance * this.reach[1] / this.canvas.clientHeight;
    if (this.pointers.size === 2) {
      const [a, b] = this.pointers.values();
      this.approach(apart / Math.max(spread(), 1), this.ground(...this.seenAt((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)));
      this.shift(-x * metres / 2, y * metres / 2);
    } else if (event.buttons === 1 && !event.shiftKey) {
      const turn = (this.flies ? 1.2 : 2.4) / this.canvas.clientHeight;
      this.turn(x * turn, y * turn);
    } else {
      this.shift(-x * metres, y * metres);
    }
  }
}
