// A camera that orbits a place or flies, moved by mouse, touch and keys. Metres: x east, y up, z south.
const LIMIT = 89 * Math.PI / 180;
const FOV = 45 * Math.PI / 180;
const KEYS = {KeyW: [0, 0, 1], KeyS: [0, 0, -1], KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyQ: [0, -1, 0], KeyE: [0, 1, 0],
              ArrowUp: [0, 0, 1], ArrowDown: [0, 0, -1], ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0]};

const along = (a, scale, b) => a.map((value, i) => value + scale * b[i]);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export class Camera {
  constructor(canvas, size) {
    this.canvas = canvas;
    this.size = size;  // of the field, metres
    this.flies = false;
    this.moved = true;
    this.yaw = 0;      // where the eye stands of the target: 0 south, a quarter turn east
    this.pitch = 0.6;  // how high
    this.distance = size;
    this.target = [0, 0, 0];
    this.pressed = new Set();
    this.pointers = new Map();
    canvas.addEventListener('pointerdown', (event) => this.press(event));
    canvas.addEventListener('pointermove', (event) => this.drag(event));
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => this.release(event));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.approach(Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.001)));
    }, {passive: false});
    canvas.addEventListener('keydown', (event) => {
      this.pressed.add(event.code);
      if (event.code.startsWith('Arrow')) event.preventDefault();
    });
    canvas.addEventListener('keyup', (event) => this.pressed.delete(event.code));
    window.addEventListener('blur', () => this.pressed.clear());
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

  look(eye, target) {
    const away = eye.map((value, i) => value - target[i]);
    this.distance = Math.max(Math.hypot(...away), 1);
    this.pitch = clamp(Math.asin(away[1] / this.distance), -LIMIT, LIMIT);
    this.yaw = Math.atan2(away[0], away[2]);
    this.target = along(eye, this.distance, this.forward);
    this.moved = true;
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

  approach(factor) {
    if (this.flies) {
      this.target = along(this.target, (1 - factor) * this.distance, this.forward);
    } else {
      this.distance = clamp(this.distance * factor, 1, 20 * this.size);
    }
    this.moved = true;
  }

  // Moves by the keys that are pressed; `clearance`: metres over the ground, which set the pace.
  step(seconds, clearance) {
    const move = [0, 0, 0];
    for (const code of this.pressed) KEYS[code]?.forEach((value, i) => { move[i] += value; });
    if (move.every((value) => value === 0)) return;
    const pace = seconds * (this.pressed.has('ShiftLeft') || this.pressed.has('ShiftRight') ? 4 : 1) *
        clamp(clearance, 20, this.size / 2);
    this.target = along(along(along(this.target, pace * move[0], this.right), pace * move[1], [0, 1, 0]), pace * move[2],
                        this.forward);
    this.moved = true;
  }

  // Lifts the eye to `y` at least.
  keepAbove(y) {
    const lack = y - this.eye[1];
    if (!(lack > 0)) return;
    this.target = along(this.target, lack, [0, 1, 0]);
    this.moved = true;
  }

  press(event) {
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
      this.approach(apart / Math.max(spread(), 1));
      this.shift(-x * metres / 2, y * metres / 2);
    } else if (event.buttons === 1 && !event.shiftKey) {
      const turn = (this.flies ? 1.2 : 2.4) / this.canvas.clientHeight;
      this.turn(x * turn, y * turn);
    } else {
      this.shift(-x * metres, y * metres);
    }
  }
}
