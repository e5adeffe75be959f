// Data to start from. Each is a list of [x, y] with the kernels worth comparing on it.

// A small generator, so that a preset is the same on every visit.
function random(seed) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 4294967296;
  };
  return {uniform, normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())};
}

const KERNELS = ["SE", "LIN", "PER", "SE + PER", "LIN + SE*PER"];

function curve(n, seed, low, high, f, noise) {
  const r = random(seed);
  return Array.from({length: n}, (_, i) => {
    const x = low + (high - low) * (i + 0.8 * r.uniform()) / n;
    return [+x.toPrecision(5), +(f(x) + noise * r.normal()).toPrecision(5)];
  });
}

const AIRLINE = [112,118,132,129,121,135,148,148,136,119,104,118,115,126,141,135,125,149,170,170,158,133,114,140,145,150,
  178,163,172,178,199,199,184,162,146,166,171,180,193,181,183,218,230,242,209,191,172,194,196,196,236,235,229,243,264,272,
  237,211,180,201,204,188,235,227,234,264,302,293,259,229,203,229,242,233,267,269,270,315,364,347,312,274,237,278,284,277,
  317,313,318,374,413,405,355,306,271,306,315,301,356,348,355,422,465,467,404,347,305,336,340,318,362,348,363,435,491,505,
  404,359,310,337,360,342,406,396,420,472,548,559,463,407,362,405,417,391,419,461,472,535,622,606,508,461,390,432];

export const PRESETS = {
  free: {name: "your own points", kernels: KERNELS, points: [], view: [0, 10, -3, 3]},
  airline: {name: "airline passengers", kernels: ["SE", "LIN", "LIN + PER", "LIN + SE*PER", "SE + LIN*PER"],
            points: AIRLINE.map((y, i) => [i, y]), horizon: 30},
  co2: {name: "like CO2", kernels: ["SE", "LIN", "SE + PER", "LIN + PER", "LIN + SE + PER"],
        points: curve(72, 5, 0, 12, x => 330 + 1.6 * x + 0.06 * x * x + 3 * Math.sin(2 * Math.PI * x), 0.35), horizon: 30},
  step: {name: "a step", kernels: ["SE", "MAT52", "LIN", "SE + MAT52", "PER"],
         points: curve(40, 9, 0, 10, x => (x > 5.2 ? 1.5 : -1), 0.12)},
  periods: {name: "two periods", kernels: ["SE", "PER", "PER + PER", "SE*PER", "SE + PER"],
            points: curve(60, 3, 0, 10, x => Math.sin(2 * Math.PI * x / 4.1) + 0.6 * Math.sin(2 * Math.PI * x / 1.3), 0.12)},
  noise: {name: "noise only", kernels: KERNELS, points: curve(50, 12, 0, 10, () => 0, 1)},
  csv: {name: "your CSV …", kernels: KERNELS, points: []},
};

// Two columns of numbers out of a text; where the first is no number, the row's number takes its place.
export function pointsFromText(text) {
  const points = [];
  for (const line of text.split(/\r?\n/)) {
    if (!line.trim() || line.startsWith("#")) continue;
    const cells = line.split(/[,;\t ]+/).map(cell => cell.trim().replace(/^"|"$/g, ""));
    const y = Number(cells.at(-1));
    if (cells.length < 1 || cells.at(-1) === "" || !Number.isFinite(y)) continue;
    const x = Number(cells[0]);
    points.push([cells.length > 1 && cells[0] !== "" && Number.isFinite(x) ? x : points.length, y]);
  }
  return points.slice(0, 2000);
}
