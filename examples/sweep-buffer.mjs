// Eight hosts send to one through a switch whose buffer grows. Run it with `node sweep-buffer.mjs`.
import { load, run } from 'selvage';

const scenario = {
  selvage: 1,
  name: 'sweep',
  fabric: { generator: 'star', hosts: 9, hostLink: { rate: '100G', length: '100m' } },
  priorities: { 3: { flowControl: 'pfc' } },
  load: [{ incast: { from: 'h2..h9', to: 'h1' }, bytes: '250KB', priority: 3 }],
};

console.log('buffer   FCT max   paused');
for (const size of ['1MB', '2MB', '4MB']) {
  const { outcome } = run(load(scenario, { set: [`switches.buffer.size=${size}`] }), {
    check: true,
  });
  const { results } = await outcome;
  const fctPs = Math.max(...results.flows.map(({ completionPs }) => completionPs ?? Infinity));
  const pausedPs = results.ports.reduce(
    (sum, { priorities }) =>
      sum + priorities.reduce((inner, { blockedPs }) => inner + blockedPs, 0),
    0,
  );
  const [fct, paused] = [fctPs, pausedPs].map((ps) => `${(ps / 1e6).toFixed(0)} us`.padStart(8));
  console.log(`${size.padEnd(6)} ${fct} ${paused}`);
}
