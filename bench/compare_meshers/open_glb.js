// Opens a GLB in two real readers: the Khronos validator, and three.js in headless Chromium, which draws it.
//
//   node open_glb.js FILE.glb OUT.png [CHROMIUM]
//
// Prints one JSON line and exits 1 on any error or warning, on a page error, or when the picture shows no triangle.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';
import validator from 'gltf-validator';

const [file, out, browserPath = '/usr/bin/chromium'] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
const bytes = fs.readFileSync(file);
const {issues, info} = await validator.validateBytes(new Uint8Array(bytes));

const page = `<!doctype html><style>body{margin:0}</style><script type="importmap">
{"imports": {"three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"}}</script>
<script type="module">
import * as THREE from 'three';
import {GLTFLoader} from 'three/addons/loaders/GLTFLoader.js';
new GLTFLoader().load('/mesh.glb', gltf => {
  const renderer = new THREE.WebGLRenderer({antialias: true, preserveDrawingBuffer: true});
  renderer.setSize(1280, 720);
  document.body.append(renderer.domElement);
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0x9db8d0);
  scene.add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x556655, 1.2));
  const sun = new THREE.DirectionalLight(0xfff4e0, 2.5);
  sun.position.set(-1, 0.8, -0.6);
  scene.add(sun);
  const box = new THREE.Box3().setFromObject(gltf.scene);
  const centre = box.getCenter(new THREE.Vector3()), size = box.getSize(new THREE.Vector3()).length();
  const camera = new THREE.PerspectiveCamera(40, 16 / 9, size / 1000, size * 4);
  camera.position.copy(centre).add(new THREE.Vector3(0.25, 0.55, 0.75).multiplyScalar(size * 0.9));
  camera.lookAt(centre);
  renderer.render(scene, camera);
  window.result = {triangles: renderer.info.render.triangles, extras: gltf.asset.extras};
}, undefined, error => { window.result = {error: String(error)}; });
</script>`;
const server = http.createServer((request, response) => {
  if (request.url === '/') {
    response.setHeader('Content-Type', 'text/html');
    response.end(page);
  } else if (request.url === '/mesh.glb') {
    response.end(bytes);
  } else if (request.url.startsWith('/three/') && !request.url.includes('..')) {
    response.setHeader('Content-Type', 'text/javascript');
    fs.createReadStream(path.join(here, 'node_modules', request.url)).on('error', () => response.destroy()).pipe(response);
  } else {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']});
const tab = await browser.newPage({viewport: {width: 1280, height: 720}});
const errors = [];
tab.on('pageerror', error => errors.push(String(error)));
await tab.goto(`http://127.0.0.1:${server.address().port}/`);
await tab.waitForFunction('window.result !== undefined', undefined, {timeout: 120000});
const drawn = await tab.evaluate('window.result');
await tab.screenshot({path: out});
await browser.close();
server.close();
const report = {file, validator_errors: issues.numErrors, validator_warnings: issues.numWarnings,
  triangles: info.totalTriangleCount, drawn: drawn.triangles ?? 0, errors: [...errors, ...(drawn.error ? [drawn.error] : [])]};
console.log(JSON.stringify(report));
const isGood = issues.numErrors + issues.numWarnings + report.errors.length === 0 && report.drawn === report.triangles;
process.exit(isGood ? 0 : 1);
