// Meshes a raw u16 field with one npm package and writes what bench_adaptive --verify reads.
//
//   node mesh.js delatin|martini FIELD.raw WIDTH HEIGHT ERROR OUT.mesh
//
// Prints one JSON line: triangles, seconds and cpu_seconds (meshing alone, without reading and writing), peak_mib of the whole process.
// Martini needs 2^k + 1 samples a side: the field is padded by repeating its last row and column, and triangles that lie
// wholly in the padding are not counted.
import fs from 'node:fs';
import Delatin from 'delatin';
import Martini from '@mapbox/martini';

const [tool, path, width, height, error, out] = process.argv.slice(2);
const w = Number(width), h = Number(height), maxError = Number(error);
const bytes = fs.readFileSync(path);
const samples = new Uint16Array(bytes.buffer, bytes.byteOffset, w * h);

function padded(side) {
  const terrain = new Float32Array(side * side);
  for (let z = 0; z < side; z++) {
    for (let x = 0; x < side; x++) {
      terrain[z * side + x] = samples[Math.min(z, h - 1) * w + Math.min(x, w - 1)];
    }
  }
  return terrain;
}

let places, corners;
const cpu = process.cpuUsage(), start = process.hrtime.bigint();
if (tool === 'delatin') {
  const tin = new Delatin(samples, w, h);
  tin.run(maxError);
  places = tin.coords;
  corners = tin.triangles;
} else {
  let side = 2;
  while (side + 1 < Math.max(w, h)) side *= 2;
  const mesh = new Martini(side + 1).createTile(padded(side + 1)).getMesh(maxError);
  places = mesh.vertices;
  corners = mesh.triangles;
}
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
const used = process.cpuUsage(cpu);

const kept = [];
for (let i = 0; i < corners.length; i += 3) {
  const least = axis => Math.min(...[0, 1, 2].map(k => places[2 * corners[i + k] + axis]));
  if (least(0) < w - 1 && least(1) < h - 1) kept.push(corners[i], corners[i + 1], corners[i + 2]);
}
const counts = Uint32Array.of(places.length / 2, kept.length / 3);
fs.writeFileSync(out, Buffer.concat([counts, Int32Array.from(places), Uint32Array.from(kept)].map(
  array => Buffer.from(array.buffer))));
console.log(JSON.stringify({tool, error: maxError, triangles: kept.length / 3, seconds: Number(seconds.toFixed(3)),
  cpu_seconds: Number(((used.user + used.system) / 1e6).toFixed(3)),
  peak_mib: Math.round(process.resourceUsage().maxRSS / 1024)}));
