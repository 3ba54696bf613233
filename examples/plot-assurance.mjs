// What flow control of an MVTX2802 costs a high class: `node examples/plot-assurance.mjs`, and as a
// picture: `node examples/plot-assurance.mjs docs/images/mvtx2802-assurance.svg`.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load, run } from 'selvage';

const scenario = fileURLToPath(new URL('mvtx2802-assurance.yaml', import.meta.url));

/** 0.16 ms in the switch, the frame that is being sent, two links and the pipeline. */
const BOUND_PS = 190e6;
const RATES = [30, 40, 45, 50, 55, 60, 70];
/** Flow control off, on, and on with classes kept (`normalQos`), which may lose frames. */
const CURVES = [
  { name: 'off', colour: '#1a7f37', registers: ['flowControl=false'] },
  { name: 'on', colour: '#cf222e', registers: ['flowControl=true'] },
  { name: 'on, QoS', colour: '#0969da', registers: ['flowControl=true', 'normalQos=true'] },
];

async function pointOf(rate, registers) {
  const set = [
    `load.1.rate=${rate}%`,
    ...registers.map((register) => `switches.mvtx2802.${register}`),
    'duration=10ms',
    'expect=[]',
  ];
  const { results } = await run(load(scenario, { set })).outcome;
  const drops = results.priorities.flatMap((row) => Object.values(row.drops));
  return {
    rate,
    goodputBps: results.loads.find((one) => one.load === 'voice').goodputBps,
    lost: drops.reduce((sum, count) => sum + count, 0),
    delayPs: results.flows.find(({ name }) => name.startsWith('voice')).latencyMaxPs,
  };
}

const curves = [];
for (const { name, colour, registers } of CURVES) {
  const points = [];
  for (const rate of RATES) points.push(await pointOf(rate, registers));
  curves.push({ name, colour, points });
}

console.log(
  'flow control  bulk    voice    lost    delay  assurance (a # is a doubling from 10 us)',
);
for (const { name, points } of curves) {
  for (const { rate, goodputBps, lost, delayPs } of points) {
    const bar = '#'.repeat(Math.max(0, Math.round(Math.log2(delayPs / 1e7))));
    const cells = [
      name.padEnd(12),
      `${rate}%`.padStart(5),
      `${(goodputBps / 1e6).toFixed(0)} Mb/s`.padStart(8),
      String(lost).padStart(7),
      `${(delayPs / 1e6).toFixed(0)} us`.padStart(8),
    ];
    const assurance = delayPs <= BOUND_PS ? 'kept' : 'lost';
    console.log(`${cells.join(' ')}  ${assurance} ${bar}`.trimEnd());
  }
}

const [file] = process.argv.slice(2);
if (file !== undefined) writeFileSync(file, picture());

/** Delay of voice by the load of bulk; decades of time upwards. */
function picture() {
  const [left, right, top, bottom] = [70, 610, 40, 330];
  const x = (rate) => left + ((rate - RATES[0]) / (RATES.at(-1) - RATES[0])) * (right - left);
  const y = (ps) => bottom - (Math.log10(ps / 1e7) / 3) * (bottom - top);
  const text = (px, py, words, more = '') => `<text x="${px}" y="${py}"${more}>${words}</text>`;
  const line = (x1, y1, x2, y2, colour, more = '') =>
    `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${colour}"${more}/>`;
  const decades = [1e7, 1e8, 1e9, 1e10].flatMap((ps, i) => [
    line(left, y(ps), right, y(ps), '#d0d7de'),
    text(left - 8, y(ps) + 4, ['10 us', '100 us', '1 ms', '10 ms'][i], ' text-anchor="end"'),
  ]);
  const loads = RATES.map((rate) =>
    text(x(rate).toFixed(1), bottom + 18, `${rate}%`, ' text-anchor="middle"'),
  );
  const bound = y(BOUND_PS).toFixed(1);
  const drawn = curves.flatMap(({ name, colour, points }, index) => {
    const places = points.map(({ rate, delayPs }) => [x(rate).toFixed(1), y(delayPs).toFixed(1)]);
    const lost = points.reduce((sum, point) => sum + point.lost, 0);
    const says = `flow control ${name}: ${lost.toLocaleString('en-US')} frames lost over all loads`;
    const key = bottom + 62 + 18 * index;
    return [
      `<polyline points="${places.map((at) => at.join()).join(' ')}" fill="none" ` +
        `stroke="${colour}" stroke-width="2"/>`,
      ...places.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3.5" fill="${colour}"/>`),
      line(left, key - 4, left + 24, key - 4, colour, ' stroke-width="3"'),
      text(left + 32, key, says),
    ];
  });
  const title = 'MVTX2802: longest delay of voice (P7) by the load of bulk (P2)';
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 440" font-size="13" ' +
      'font-family="sans-serif">',
    '<rect width="640" height="440" fill="#fff"/>',
    text(20, 22, title, ' font-weight="bold"'),
    ...decades,
    ...loads,
    line(left, bound, right, bound, '#57606a', ' stroke-dasharray="6 4"'),
    text(right, bound - 6, 'delay bound: 190 us', ' text-anchor="end"'),
    text(
      (left + right) / 2,
      bottom + 38,
      'load of bulk at each of two hosts, of 1 Gb/s',
      ' text-anchor="middle"',
    ),
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}
