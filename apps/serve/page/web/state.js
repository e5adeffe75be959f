// What a link shares: the drawing or the choices of the table, in the fragment of the address. It is not sent to anyone.

const DIGITS = 6;

export function toFragment(state) {
  const short = {
    p: state.points.map(p => p.map(v => +v.toPrecision(DIGITS))).flat(),
    k: state.kernels, v: state.view.map(v => +v.toPrecision(DIGITS)), h: state.horizon, s: state.samples ? 1 : 0,
    o: state.region ? state.region.map(v => +v.toPrecision(DIGITS)) : 0, m: state.mode,
  };
  return "s=" + encodeURIComponent(JSON.stringify(short));
}

const numbers = list => Array.isArray(list) && list.every(v => typeof v === "number" && Number.isFinite(v));

// Null for a fragment that holds no state, or a broken one.
export function fromFragment(hash) {
  const match = /(?:^#|&)s=([^&]*)/.exec(hash);
  if (!match) return null;
  try {
    const short = JSON.parse(decodeURIComponent(match[1]));
    if (!numbers(short.p) || !numbers(short.v) || short.v.length !== 4 || !Array.isArray(short.k)) return null;
    const points = [];
    for (let i = 0; i + 1 < short.p.length && i < 4000; i += 2) points.push([short.p[i], short.p[i + 1]]);
    return {points, kernels: short.k.filter(k => typeof k === "string").slice(0, 16), view: short.v,
            horizon: Number(short.h) || 0, samples: !!short.s, region: numbers(short.o) ? short.o.slice(0, 2) : null,
            mode: short.m === "table" ? "table" : "draw"};
  } catch {
    return null;
  }
}
