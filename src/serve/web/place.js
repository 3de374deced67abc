// What is said of the picture beside it: the ground under the pointer, by the library's own rays and heights; a scale at its
// middle; and where north is.
const SCALE_PX = 110;
const STEPS = [5, 2, 1];

export const element = (id) => document.getElementById(id);
export const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
export const tenths = new Intl.NumberFormat('en', {minimumFractionDigits: 1, maximumFractionDigits: 1});

function show(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
  element(id).hidden = text === '';
}

// 1, 2 or 5 times a power of ten, `most` at most.
export function roundLength(most) {
  const decade = 10 ** Math.floor(Math.log10(most));
  return (STEPS.find((step) => step * decade <= most) ?? 1) * decade;
}

function lengthText(metres) {
  if (metres >= 1000) return `${whole.format(metres / 1000)} km`;
  return metres >= 1 ? `${whole.format(metres)} m` : `${whole.format(metres * 100)} cm`;
}

const degreesText = ([longitude, latitude]) =>
    `${Math.abs(latitude).toFixed(5)}\u00b0 ${latitude < 0 ? 'S' : 'N'} ` +
    `${Math.abs(longitude).toFixed(5)}\u00b0 ${longitude < 0 ? 'W' : 'E'}`;

export class Place {
  constructor(field) {
    this.field = field;
    const {crs_wkt, geotransform} = field.metadata;
    this.hasDegrees = crs_wkt != null && geotransform != null;
    this.isLoading = false;
  }

  hide() {
    element('place').hidden = true;
    this.isLoading = false;
    this.asked = null;
  }

  // The ground on a ray, of the finest surface, whatever is drawn there.
  pick(origin, direction) {
    const hit = this.field.ray(origin, direction, true);
    this.isLoading = hit.status === 'not_loaded';
    element('place').hidden = hit.status === 'miss';
    if (hit.status === 'miss') return;
    if (this.isLoading) {
      show('height', '\u2026');
      show('where', 'loading');
      return;
    }
    const height = this.field.height(hit.x, hit.z);
    show('height', height.status === 'surface' ? `${tenths.format(height.y)} m` : '');
    show('where', `x ${whole.format(hit.x)} \u00b7 z ${whole.format(hit.z)} m`);
    if (this.hasDegrees) this.ask(hit.x, hit.z);
  }

  // Degrees are the server's to tell; the last place that was asked for counts.
  async ask(x, z) {
    const asked = this.asked = {};
    try {
      const answer = await fetch(new URL(`lonlat/${x}/${z}`, this.field.base));
      const text = answer.ok ? degreesText(await answer.json()) : '';
      if (this.asked === asked) show('degrees', text);
    } catch {
      if (this.asked === asked) show('degrees', '');
    }
  }

  // `pixel_m`: what a pixel of the page spans at the middle of the picture, 0 where no ground is; `yaw`: of the camera.
  scale(pixel_m, yaw) {
    element('needle').style.transform = `rotate(${yaw}rad)`;
    element('scale').hidden = !(pixel_m > 0);
    if (!(pixel_m > 0)) return;
    const length = roundLength(SCALE_PX * pixel_m);
    element('scale').style.width = `${Math.round(length / pixel_m)}px`;
    show('scale', lengthText(length));
  }
}
