// What flow control of an MVTX2802 costs a high class: `node examples/plot-assurance.mjs`.
import { fileURLToPath } from 'node:url';
import { load, run } from 'selvage';

const scenario = fileURLToPath(new URL('mvtx2802-assurance.yaml', import.meta.url));

console.log(
  'flow control  bulk    voice    lost    delay  assurance (a # is a doubling from 10 us)',
);
/** 0.16 ms in the switch, the frame that is being sent, two links and the pipeline. */
const BOUND_PS = 190e6;
/** Flow control off, on, and on with classes kept (`normalQos`), which loses frames again. */
const CURVES = [
  ['off', 'flowControl=false'],
  ['on', 'flowControl=true'],
  ['on, QoS', 'flowControl=true', 'normalQos=true'],
];

for (const [name, ...registers] of CURVES) {
  for (const rate of ['30%', '45%', '50%', '55%', '70%']) {
    const set = [
      `load.1.rate=${rate}`,
      ...registers.map((register) => `switches.mvtx2802.${register}`),
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
      name.padEnd(12),
      rate.padStart(5),
      `${(voice.goodputBps / 1e6).toFixed(0)} Mb/s`.padStart(8),
      String(lost).padStart(7),
      `${(delayPs / 1e6).toFixed(0)} us`.padStart(8),
    ];
    const assurance = delayPs <= BOUND_PS ? 'kept' : 'lost';
    console.log(`${cells.join(' ')}  ${assurance} ${bar}`.trimEnd());
  }
}
