// A real browser against a real server: the page opens, draws, and keeps drawing while the camera moves, without an error.
//
//   node browser.mjs ARETE STORE [--pictures FOLDER VIEW... | --frames]    VIEW: NAME=WxH#address, as the page writes it
//
// Chromium is $ARETE_CHROMIUM or one on the path; without one the test is skipped (exit code 77).
import {spawn} from 'node:child_process';
import {accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const SKIPPED = 77;
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);  // a page's blob begins with it
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
               '--hide-scrollbars', '--no-first-run', '--disable-extensions', '--remote-debugging-pipe'];

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome', 'chromium-headless-shell'];
  const places = process.env.PATH.split(':').flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env.ARETE_CHROMIUM, ...places].filter(Boolean).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what, condition, seconds = 120) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await pause(100)) {
    if (await condition()) return;
  }
  throw new Error(`${what}: not within ${seconds} s`);
}

// The server's address, once it listens.
function serve(arete, store) {
  const server = spawn(arete, ['serve', store, '--port', '0', '--json'], {stdio: ['ignore', 'pipe', 'inherit']});
  const address = new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (data) => {
      text += data;
      if (text.includes('}')) resolve(JSON.parse(text).address);
    });
    server.on('exit', (code) => reject(new Error(`arete serve ended with ${code}`)));
  });
  return {server, address};
}

// Chromium's debugging protocol over its pipe: messages end with a zero byte.
class Browser {
  constructor(path, profile) {
    this.process = spawn(path, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'],
                         {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.waiting = new Map();
    this.errors = [];
    this.last = 0;
    let text = '';
    this.process.stdio[4].on('data', (data) => {
      const messages = (text + data).split('\0');
      text = messages.pop();
      messages.forEach((message) => this.receive(JSON.parse(message)));
    });
    this.process.on('exit', () => this.waiting.forEach(({reject}) => reject(new Error('the browser has ended'))));
  }

  receive({id, method, params, result, error}) {
    if (id) {
      const {resolve, reject} = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) reject(new Error(error.message)); else resolve(result);
    }
    if (method === 'Runtime.exceptionThrown') this.errors.push(params.exceptionDetails.exception?.description ?? 'exception');
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
      this.errors.push(params.args.map((arg) => arg.value ?? arg.description).join(' '));
    }
    // Warnings are of the machine: a software device is said to read pixels slowly.
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.errors.push(params.entry.text);
  }

  send(method, params = {}) {
    const id = ++this.last;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId: this.session}) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  async open(url, width, height) {
    if (!this.session) {
      const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
      this.session = (await this.send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
      for (const domain of ['Page', 'Runtime', 'Log']) await this.send(`${domain}.enable`);
    }
    await this.resize(width, height);
    await this.send('Page.navigate', {url});
  }

  resize(width, height) {
    return this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: width < 600});
  }

  async evaluate(expression) {
    return (await this.send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true})).result.value;
  }

  text(id) { return this.evaluate(`document.getElementById('${id}')?.textContent`); }
  async number(id) { return Number((await this.text(id) ?? '').split(' ')[0].replaceAll(',', '')); }

  async settled() {
    await until('every wanted page is here', async () =>
      await this.number('nodes') > 0 && await this.number('missing') === 0);
    await pause(300);
  }

  async picture() { return Buffer.from((await this.send('Page.captureScreenshot', {format: 'png'})).data, 'base64'); }

  async press(code, ms = 0) {
    await this.send('Input.dispatchKeyEvent', {type: 'keyDown', code});
    await pause(ms);
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', code});
  }

  mouse(type, x, y, more = {}) { return this.send('Input.dispatchMouseEvent', {type, x, y, ...more}); }
}

const expect = (holds, what) => { if (!holds) throw new Error(`expected ${what}`); };

async function check(browser, address) {
  await browser.open(address, 640, 400);
  await browser.settled();
  const first = await browser.picture();
  // A picture of one colour takes a thousand bytes.
  expect(first.length > 30_000, `a picture of some detail, found ${first.length} bytes of PNG`);
  expect(await browser.evaluate('document.getElementById("notice").hidden'), 'no notice');

  await browser.mouse('mouseMoved', 320, 220);
  await until('the height under the mouse', async () => /^[\d,.]+ m$/.test(await browser.text('height')));
  await until('its degrees', async () => /^44\.\d{5}\u00b0 N 71\.\d{5}\u00b0 W$/.test(await browser.text('degrees')));
  expect(/^\d+ (km|m)$/.test(await browser.text('scale')), `a scale, found ${await browser.text('scale')}`);

  const button = {button: 'left', buttons: 1, clickCount: 1};
  await browser.mouse('mousePressed', 320, 220, button);
  for (let step = 1; step <= 6; ++step) {
    await browser.mouse('mouseMoved', 320 + 20 * step, 220 - 4 * step, button);
    await pause(60);
    expect(await browser.number('nodes') > 0, 'nodes while the camera turns');
  }
  await browser.mouse('mouseReleased', 440, 196, button);
  for (let step = 0; step < 6; ++step) {
    await browser.mouse('mouseWheel', 320, 200, {deltaX: 0, deltaY: -250});
    await pause(60);
    expect(await browser.number('nodes') > 0, 'nodes while the camera comes nearer');
  }
  await browser.press('KeyW', 500);
  await browser.settled();
  expect(!first.equals(await browser.picture()), 'another picture after moving');

  // The picture of a view that was flown to, words kept on the way, is that of the same view opened anew.
  const ground = async () => {
    await browser.evaluate('document.querySelectorAll(".panel").forEach((panel) => panel.style.visibility = "hidden")');
    return browser.picture();
  };
  const words = `${await browser.evaluate('location.hash')}&frozen=0`;
  await browser.evaluate(`location.hash = '${words}'`);
  await browser.settled();
  const flown = await ground();
  await browser.open('about:blank', 640, 400);
  await browser.open(address + words, 640, 400);
  await browser.settled();
  expect(flown.equals(await ground()), 'the same picture of a view that was flown to and of one that is opened');

  const looks = new Set();
  for (const setting of ['colour=lod&wireframe=1', 'colour=slope&ridges=1', 'colour=contour&wireframe=0', 'sun=90,10']) {
    await browser.evaluate(`location.hash = '${setting}'`);
    await browser.settled();
    looks.add((await browser.picture()).toString('base64'));
  }
  expect(looks.size === 4, `four looks, found ${looks.size}`);
  const control = (id, what) => browser.evaluate(`document.getElementById('${id}').${what}`);
  for (const [code, id, what, expected] of [['KeyX', 'wireframe', 'checked', true], ['KeyC', 'frozen', 'checked', true],
                                            ['KeyC', 'frozen', 'checked', false], ['KeyL', 'colour', 'value', 'relief']]) {
    await browser.press(code);
    expect(await control(id, what) === expected, `${code} to make ${id} ${expected}, found ${await control(id, what)}`);
  }
  for (const code of ['KeyT', 'KeyF']) {
    const before = await browser.evaluate('location.hash');
    await browser.press(code);
    await until(`another view after ${code}`, async () => await browser.evaluate('location.hash') !== before);
    await pause(1500);
  }
  await browser.press('KeyH');
  expect(await browser.evaluate('getComputedStyle(document.getElementById("about")).display') === 'none', 'H to hide panels');
  await browser.press('KeyH');
  await browser.resize(390, 760);
  await browser.settled();
  const [wide, inner] = await browser.evaluate('[document.documentElement.scrollWidth, innerWidth]');
  expect(wide <= inner, `a page that fits a phone, found ${wide} pixels for ${inner}`);
  expect((await browser.picture()).length > 20_000, 'a picture on a phone');

  const touch = (type, ...points) => browser.send('Input.dispatchTouchEvent',
                                                  {type, touchPoints: points.map(([x, y], id) => ({x, y, id}))});
  await browser.evaluate('document.getElementById("place").hidden = true');
  await touch('touchStart', [195, 420]);
  await touch('touchEnd');
  await until('the place that was touched', () => browser.evaluate('!document.getElementById("place").hidden'));
  const distance = async () => {
    const [eye, target] = (await browser.evaluate('location.hash')).match(/eye=([^&]*)&target=([^&]*)/).slice(1)
        .map((place) => place.split(',').map(Number));
    return Math.hypot(...eye.map((value, i) => value - target[i]));
  };
  await pause(1000);
  const before = await distance();
  await touch('touchStart', [170, 420], [220, 420]);
  for (let step = 1; step <= 5; ++step) {
    await touch('touchMove', [170 - 10 * step, 420], [220 + 10 * step, 420]);
    await pause(60);
  }
  await touch('touchEnd');
  await until('a pinch to come nearer', async () => await distance() < 0.6 * before);
}

// What stands in the way of a view is said in one line, and what ends is said too.
async function checkTroubles(browser, arete, store, server, address) {
  const notice = (words) => until(`"${words}"`, async () => (await browser.text('notice'))?.includes(words) &&
      !await browser.evaluate('document.getElementById("notice").hidden'), 30);
  for (const [script, words] of [
    ['HTMLCanvasElement.prototype.getContext = () => null', 'no WebGL 2'],
    ['delete globalThis.WebAssembly', 'no wasm'],
    ['WebAssembly.instantiate = () => Promise.reject(new Error())', 'vectors of 128 bits']]) {
    const {identifier} = await browser.send('Page.addScriptToEvaluateOnNewDocument', {source: script});
    await browser.open(address, 640, 400);
    await notice(words);
    await browser.send('Page.removeScriptToEvaluateOnNewDocument', {identifier});
  }

  // A page of the finest lod whose bytes are wrong: coarser ground stays, and the notice says where.
  const damaged = `${store}.damaged`;
  const bytes = readFileSync(store);
  for (let at = bytes.indexOf(ZSTD); at >= 0; at = bytes.indexOf(ZSTD, at + 4)) bytes[at + 40] ^= 255;
  writeFileSync(damaged, bytes);
  const second = serve(arete, damaged);
  await browser.open(await second.address, 640, 400);
  await notice(damaged);
  second.server.removeAllListeners('exit');
  second.server.kill('SIGINT');
  rmSync(damaged);

  await browser.open(address, 640, 400);
  await browser.settled();
  server.removeAllListeners('exit');
  server.kill('SIGINT');
  await new Promise((resolve) => server.on('exit', resolve));
  await browser.evaluate('location.hash = "eye=40000,2500,60000&target=40000,1000,55000&error=0.5"');
  await notice('is arete serve running?');
  browser.errors.length = 0;  // the browser's own, of all this
}

async function pictures(browser, address, folder, views) {
  for (const view of views) {
    const [, name, width, height, words] = view.match(/^([^=]+)=(\d+)x(\d+)(#.*)?$/);
    await browser.open('about:blank', Number(width), Number(height));
    await browser.open(address + (words ?? ''), Number(width), Number(height));
    await browser.settled();
    writeFileSync(join(folder, `${name}.png`), await browser.picture());
    console.log(name, (await browser.text('figures')).replace(/\s+/g, ' '));
  }
}

// What the page's figures say, on average, of frames in which the eye moves, and of frames in which it turns. The window is
// small and the wanted error too: a device in software draws few pixels a second.
async function frames(browser, address) {
  await browser.open(`${address}#error=0.5`, 384, 240);
  await browser.settled();
  await browser.mouse('mouseWheel', 192, 150, {deltaX: 0, deltaY: -1200});
  await browser.evaluate(`document.getElementById('move').value = 'fly';
      document.getElementById('move').dispatchEvent(new Event('input'))`);
  await browser.settled();
  const record = (seconds) => browser.evaluate(`new Promise((resolve) => {
    const sums = {frames: 0}, end = performance.now() + ${1000 * seconds};
    const note = () => {
      ++sums.frames;
      for (const {id, textContent} of document.querySelectorAll('#figures dd')) {
        sums[id] = (sums[id] ?? 0) + Number(textContent.split(' ')[0].replaceAll(',', ''));
      }
      if (performance.now() < end) { requestAnimationFrame(note); return; }
      for (const id in sums) if (id !== 'frames') sums[id] /= sums.frames;
      resolve(sums);
    };
    requestAnimationFrame(note);
  })`);
  const print = (name, {frames: count, nodes, cut_ms, build_ms, draw_ms}, seconds) => console.log(
      `${name}: ${count} frames in ${seconds} s, ${nodes.toFixed(0)} nodes, cut ${cut_ms.toFixed(2)} ms, ` +
      `vertices ${build_ms.toFixed(2)} ms, draw ${draw_ms.toFixed(2)} ms`);
  const key = (type) => browser.send('Input.dispatchKeyEvent', {type, code: 'KeyD', key: 'd'});
  const button = {button: 'left', buttons: 1, clickCount: 1};
  await browser.mouse('mousePressed', 192, 120, button);
  await browser.mouse('mouseReleased', 192, 120, button);
  await key('keyDown');
  print('moving', await record(5), 5);
  await key('keyUp');
  await browser.settled();
  await browser.mouse('mousePressed', 192, 120, button);
  const turning = record(5);
  for (let step = 0; step < 80; ++step) {
    await browser.mouse('mouseMoved', 192 + 60 * Math.sin(step / 15), 120, button);
    await pause(60);
  }
  print('turning', await turning, 5);
}

const [arete, store, option, folder, ...views] = process.argv.slice(2);
const chromium = findChromium();
if (!chromium) {
  console.log('skipped: no Chromium on the path; its package, or $ARETE_CHROMIUM, lets a real browser be tested');
  process.exit(SKIPPED);
}
const profile = mkdtempSync(join(tmpdir(), 'arete_browser_'));
const {server, address} = serve(arete, store);
const browser = new Browser(chromium, profile);
let code = 0;
try {
  if (option === '--pictures') await pictures(browser, await address, folder, views);
  else if (option === '--frames') await frames(browser, await address);
  else {
    await check(browser, await address);
    expect(browser.errors.length === 0, `no error, found: ${browser.errors.join(' | ')}`);
    await checkTroubles(browser, arete, store, server, await address);
  }
  expect(browser.errors.length === 0, `no error, found: ${browser.errors.join(' | ')}`);
} catch (error) {
  console.error(`FAILED: ${error.message}`);
  if (browser.errors.length > 0) console.error(browser.errors.join('\n'));
  code = 1;
}
server.removeAllListeners('exit');
server.kill('SIGINT');
browser.send('Browser.close').catch(() => {});
await Promise.all([server, browser.process].map((child) => child.exitCode ?? new Promise((resolve) => child.on('exit', resolve))));
if (server.exitCode !== 0) {
  console.error(`FAILED: an interrupt ended arete serve with exit code ${server.exitCode}, expected 0`);
  code = 1;
}
rmSync(profile, {recursive: true, force: true, maxRetries: 5});
process.exit(code);
