// Runs the viewer's field without a page: fetches one server's field.js and wasm, follows cameras while pages arrive, and
// writes what would be drawn, and what queries answer, as little-endian numbers for the test that started it.
//
//   node words.mjs ADDRESS BUDGET_BYTES IN.json OUT
//
// IN: {"cameras": [...], "places": [[x, z], ...], "rays": [[origin, direction], ...]}. OUT, for each camera two records, of what
// was here when it came and of what is here when nothing more is wanted: bytes held, pages, their lod x z, nodes of the
// cut, nodes drawn, of these built since the record before, the words of a node, the words of each (all u32), as a texture
// holds them that takes only the slots that are said to have changed. Then status (u32) and height (f64) of each place,
// and status and x y z of each ray.
import {readFileSync, writeFileSync} from 'node:fs';

const [address, budget, input, output] = process.argv.slice(2);
const {Field, GROUND, RAY} = await fetch(new URL('field.js', address)).then((answer) => answer.text()).then((text) =>
    import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`));
const {cameras, places, rays} = JSON.parse(readFileSync(input));

let wake = () => {};
const field = await Field.open(address, {budgetBytes: Number(budget), onChange: () => wake()});
const parts = [];
const put = (...numbers) => parts.push(Buffer.from(new Uint32Array(numbers).buffer));
const putReal = (...numbers) => parts.push(Buffer.from(new Float64Array(numbers).buffer));
const counts = (samples) => Math.max(1, Math.ceil((samples - 1) / 128));

let texture = new Uint32Array(0);  // as the page's

function record() {
  const {metadata, wasm} = field;
  const keys = [];
  for (let lod = 0; lod < metadata.lods; ++lod) {
    for (let z = 0; z < counts(Math.ceil((metadata.stops_z - 1) / 2 ** lod) + 1); ++z) {
      for (let x = 0; x < counts(Math.ceil((metadata.stops_x - 1) / 2 ** lod) + 1); ++x) {
        if (wasm.has_page(lod, x, z)) keys.push(lod, x, z);
      }
    }
  }
  const {words, nodes, changed} = field.build();
  const size = wasm.node_words();
  if (texture.length !== words.length) texture = new Uint32Array(words.length);
  for (const slot of changed) texture.set(words.subarray(slot * size, (slot + 1) * size), slot * size);
  put(field.heldBytes, keys.length / 3, ...keys, field.nodes, field.drawn, changed.length, size);
  for (let i = 0; i < nodes.length; i += 2) parts.push(Buffer.from(texture.slice(nodes[i] * size, (nodes[i] + 1) * size).buffer));
}

async function settle(camera) {
  for (field.select(camera); field.missing.length > 0; field.select(camera)) {
    if (field.error) throw new Error(field.error);
    await new Promise((resolve) => { wake = resolve; });
  }
}

for (const camera of cameras) {
  field.select(camera);
  record();
  await settle(camera);
  record();
}
for (const place of places) {
  const {status, y} = field.height(...place);
  put(GROUND.indexOf(status));
  putReal(y);
}
for (const ray of rays) {
  let hit = field.ray(...ray, true);
  for (let pages = 0; hit.status === 'not_loaded' && pages < 1000; hit = field.ray(...ray, true), ++pages) await settle(cameras[0]);
  put(RAY.indexOf(hit.status));
  putReal(hit.x, hit.y, hit.z);
}
writeFileSync(output, Buffer.concat(parts));
