// A store's ground for a page or a script: fetches metadata, bounds and pages of one server and hands them to the
// library's own cut, mesher and queries (arete.wasm). It knows no surface of its own and touches no document.
//
//   const field = await Field.open('http://127.0.0.1:8080/');
//   field.select(camera)   once a frame: the cut over the pages that are here; what is missing is fetched meanwhile
//   field.build()          {words, slots, nodes, changed, anchor}: views of wasm memory, good until the next call
//   field.height(x, z)     {status, y}
//   field.ray(origin, direction, wants)   {status, x, y, z}, of the page where it stops too; then `wants` has it fetched
//
// A camera: {eye: [x, y, z], pixelsPerRadian, maxErrorPx, drawsMax, planes: [[x, y, z, d] * 5]}, metres.

export const GROUND = ['surface', 'hole', 'outside', 'not_loaded'];
export const RAY = ['miss', 'surface', 'not_loaded'];
export const NODE_QUADS = 32;

const MOST_FETCHES = 6;
const RETRY_MS = 500;
const RETRY_LIMIT_MS = 8000;
const CAMERA_NUMBERS = 26;
const MOST_BOUNDS_BYTES = 2 ** 29;  // of the 4 GiB that wasm32 has

// The reply, or an error of one line: the server's own where it sent one.
async function reply(url) {
  let answer;
  try {
    answer = await fetch(url);
  } catch {
    throw new Error(`${url}: the server does not answer; is arete serve running?`);
  }
  if (!answer.ok) throw new Error((await answer.text()).trim() || `${url}: status ${answer.status}`);
  return answer;
}

async function boundsOf(answer) {
  const mebibytes = Math.ceil(Number(answer.headers.get('Content-Length')) / 2 ** 20);
  if (mebibytes * 2 ** 20 > MOST_BOUNDS_BYTES) {
    await answer.body.cancel();
    throw new Error(`its bounds take ${mebibytes} MiB, more than the 512 that a page holds`);
  }
  return answer.arrayBuffer();
}

export class Field {
  // `onChange` is called when pages have come or a fetch has failed.
  static async open(base, {budgetBytes = 128 * 2 ** 20, onChange = () => {}} = {}) {
    if (typeof WebAssembly === 'undefined') throw new Error('this browser runs no wasm, which the viewer is made of');
    const [code, metadata, bounds] = await Promise.all([
      reply(new URL('arete.wasm', base)).then((r) => r.arrayBuffer()),
      reply(new URL('store.json', base)).then((r) => r.json()),
      reply(new URL('bounds', base)).then((r) => boundsOf(r))]);
    const {instance} = await WebAssembly.instantiate(code, {}).catch(() => {
      throw new Error('this browser does not run wasm with vectors of 128 bits; newer ones do');
    });
    return new Field(base, instance.exports, metadata, new Uint8Array(bounds), budgetBytes, onChange);
  }

  constructor(base, wasm, metadata, bounds, budgetBytes, onChange) {
    this.base = base;
    this.wasm = wasm;
    this.metadata = metadata;
    this.onChange = onChange;
    this.fetching = new Map();  // page name to its abort controller
    this.failed = new Map();    // page name to {attempts, until}
    this.error = null;          // the last failure, until a page comes again
    this.missing = [];
    this.drawn = 0;
    wasm._initialize();
    const at = wasm.open(metadata.stops_x, metadata.stops_z, metadata.registration === 'area' ? 1 : 0,
                         metadata.spacing_x, metadata.spacing_z, metadata.height_base, metadata.height_step);
    if (at === 0 || wasm.bounds_bytes() !== bounds.length) throw new Error('the store\'s metadata and bounds disagree');
    this.bytes(at, bounds.length).set(bounds);
    if (wasm.take_bounds() !== 1) throw new Error('the store\'s bounds are damaged');
    wasm.set_budget(budgetBytes);
    const head = new DataView(bounds.buffer, bounds.byteOffset, 4);
    const steps = (index) => metadata.height_base + metadata.height_step * head.getUint16(2 * index, true);
    this.low = steps(0);
    this.high = steps(1);
  }

  bytes(at, length) { return new Uint8Array(this.wasm.memory.buffer, at, length); }
  numbers(at, length) { return new Float64Array(this.wasm.memory.buffer, at, length); }
  words(at, length) { return new Uint32Array(this.wasm.memory.buffer, at, length); }

  // Returns how many nodes are drawn.
  select(camera) {
    const numbers = [...camera.eye, camera.pixelsPerRadian, camera.maxErrorPx, camera.drawsMax ? 1 : 0,
                     ...camera.planes.flat()];
    if (numbers.length !== CAMERA_NUMBERS) throw new Error('a camera has five planes of four numbers');
    this.numbers(this.wasm.camera(), CAMERA_NUMBERS).set(numbers);
    this.drawn = this.wasm.select();
    this.list();
    return this.drawn;
  }

  // The words of all `slots` slots of the pool; slot and lod of each drawn node; the slots whose words are others than
  // before, in rising order.
  build() {
    const {wasm} = this;
    const at = wasm.build();
    if (at === 0 && this.drawn > 0) throw new Error('a node could not be built');
    return {words: this.words(at, wasm.slots() * wasm.node_words()), slots: wasm.slots(),
            nodes: new Uint16Array(wasm.memory.buffer, wasm.drawn(), 2 * this.drawn),
            changed: this.words(wasm.changed(), wasm.changed_count()).sort(),
            anchor: [wasm.anchor_x(), wasm.anchor_z()]};
  }

  get nodes() { return this.wasm.node_count(); }
  get pages() { return this.wasm.page_count(); }
  get heldBytes() { return this.wasm.held_bytes(); }
  indices() { return this.words(this.wasm.indices(), 6 * NODE_QUADS * NODE_QUADS); }

  height(x, z) {
    const status = GROUND[this.wasm.height(x, z)];
    return {status, y: this.numbers(this.wasm.answer(), 4)[2]};
  }

  ray(origin, direction, wants) {
    const status = RAY[this.wasm.ray(...origin, ...direction, wants ? 1 : 0)] ?? 'miss';
    const [, x, y, z] = this.numbers(this.wasm.answer(), 4);
    return {status, x, y, z};
  }

  // ---- Pages ----

  // Reads the list of what the last cut wants and fetches on.
  list() {
    const count = this.wasm.missing_count();
    const keys = this.words(this.wasm.missing(), 3 * count);
    this.missing = Array.from({length: count}, (_, i) => [keys[3 * i], keys[3 * i + 1], keys[3 * i + 2]]);
    const wanted = new Set(this.missing.map((key) => key.join('/')));
    for (const [name, controller] of this.fetching) {
      if (!wanted.has(name)) controller.abort();
    }
    this.fetchOn();
  }

  fetchOn() {
    const now = performance.now();
    for (const key of this.missing) {
      if (this.fetching.size >= MOST_FETCHES) return;
      const name = key.join('/');
      const failure = this.failed.get(name);
      if (!this.fetching.has(name) && !(failure && failure.until > now) && !this.wasm.has_page(...key)) {
        this.fetchPage(key, name);
      }
    }
  }

  async fetchPage(key, name) {
    const controller = new AbortController();
    this.fetching.set(name, controller);
    try {
      const answer = await fetch(new URL(`pages/${name}`, this.base), {signal: controller.signal});
      if (!answer.ok) throw new Error((await answer.text()).trim());
      const planes = new Uint8Array(await answer.arrayBuffer());
      if (planes.length !== this.wasm.page_bytes(key[0])) throw new Error(`page ${name} is not whole`);
      this.bytes(this.wasm.page_room(), planes.length).set(planes);
      this.wasm.place_page(...key);
      this.failed.delete(name);
      this.error = null;
    } catch (error) {
      if (!controller.signal.aborted) this.fail(name, error);
    } finally {
      this.fetching.delete(name);
    }
    this.fetchOn();
    this.onChange();
  }

  fail(name, error) {
    const attempts = (this.failed.get(name)?.attempts ?? 0) + 1;
    const wait = Math.min(RETRY_MS * 2 ** (attempts - 1), RETRY_LIMIT_MS);
    this.failed.set(name, {attempts, until: performance.now() + wait});
    this.error = error instanceof TypeError ? 'the server does not answer; is arete serve running?' : error.message;
    setTimeout(() => this.fetchOn(), wait + 1);
  }
}
