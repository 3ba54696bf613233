// What flow control of an MVTX2802 costs a high class: `node examples/plot-assurance.mjs`.
import { fileURLToPath } from 'node:url';
import { load, run } from 'selvage';

const scenario = fileURLToPath(new URL('mvtx2802-assurance.yaml', import.meta.url));

console.log(
  'flow control  bulk   voice     lost  longest delay of voice (a # is a doubling from 10 us)',
);
for (const flowControl of [false, true]) {
  for (const rate of ['30%', '45%', '50%', '55%', '70%']) {
    const set = [
      `load.1.rate=${rate}`,
      `switches.mvtx2802.flowControl=${flowControl}`,
      'duration=10ms',
      'expect=[]',
    ];
    const { results } = await run(load(scenario, { set })).outcome;
    const voice = results.loads.find((one) => one.load === 'voice');
    const lost = results.priorities
      .flatMap(({ drops }) => Object.values(drops))
      .reduce((sum, count) => sum + count, 0);
    const delayPs = results.flows.find(({ name }) => name.startsWith('voice')).latencyMaxPs;
    const bar = '#'.repeat(Math.max(0, Math.round(Math.log2(delayPs / 1e7))));
    const cells = [
      (flowControl ? 'on' : 'off').padEnd(12),
      rate.padStart(5),
      `${(voice.goodputBps / 1e6).toFixed(0)} Mb/s`.padStart(8),
      String(lost).padStart(7),
      `${(delayPs / 1e6).toFixed(0)} us`.padStart(8),
    ];
    console.log(`${cells.join(' ')} ${bar}`.trimEnd());
  }
}
