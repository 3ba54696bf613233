import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { runsAlike } from '../kit/alike.js';
import { fabricOf, flowOf, runScenario } from '../kit/emulate.js';

function counted(results: RunResults, counter: string, port = ''): number {
  const { llr } = results as unknown as {
    llr: { port: string; counters: Record<string, number> }[];
  };
  return llr
    .filter((row) => port === '' || row.port === port)
    .reduce((sum, { counters }) => sum + counters[counter]!, 0);
}

/** One host sends three frames of 1,000 octets to another over 10 m of 100G. */
function three(faults: string, more = ''): string {
  return `
fabric: { generator: pair, link: { rate: 100G, length: 10m } }
llr: { enabled: true ${more} }
duration: 100us
load: [{ name: a, stream: { from: h1, to: h2 }, frame: 1000, bytes: 2862, rate: line, start: 10us }]
faults: [${faults}]`;
}

/** Bad is whatever arrives at h2 within 20 ns around a time in picoseconds. */
function badAt(ps: number): string {
  return (
    '{ kind: bit-errors, where: { device: h2 }, errorRate: 0.999999, ' +
    `at: ${ps - 10_000}ps, for: 20000ps }`
  );
}

const OCTET_PS = 80;
const START_PS = 10_000_000;
const FRAME_PS = 1020 * OCTET_PS;
const ARRIVAL_PS = 1008 * OCTET_PS + 50_000;

describe('link-level retry', () => {
  it('delivers a bad frame a round trip later, to the picosecond', () => {
    const without = flowOf(runScenario(three('')), 'h2');
    assert.equal(without.lastArrivalPs, START_PS + 2 * FRAME_PS + ARRIVAL_PS);
    // The first is bad. The NACK takes 8 octets and the link, and finds the third under way; then
    // all three are sent again.
    const results = runScenario(three(badAt(START_PS + ARRIVAL_PS)));
    const nackPs = ARRIVAL_PS + 8 * OCTET_PS + 50_000;
    const againPs = Math.ceil(nackPs / FRAME_PS) * FRAME_PS;
    assert.equal(againPs, 3 * FRAME_PS);
    const { lastArrivalPs, frames } = flowOf(results, 'h2');
    assert.equal(lastArrivalPs, START_PS + againPs + 2 * FRAME_PS + ARRIVAL_PS);
    assert.equal(frames, 3);
    assert.equal(counted(results, 'LLR_TX_NACK_CTL_OS'), 1);
    assert.equal(counted(results, 'LLR_RX_MISSING_SEQ'), 2);
    assert.equal(counted(results, 'LLR_TX_REPLAY'), 1);
    assert.equal(counted(results, 'LLR_RX_REPLAY'), 1);
    assert.equal(counted(results, 'LLR_TX_DISCARD'), 0);
  });

  it('counts the number of a bad frame that follows a missing one', () => {
    const [first, second] = [START_PS + ARRIVAL_PS, START_PS + FRAME_PS + ARRIVAL_PS];
    const results = runScenario(three(`${badAt(first)}, ${badAt(second)}`));
    assert.equal(counted(results, 'LLR_RX_BAD'), 2);
    assert.equal(counted(results, 'LLR_RX_EXPECTED_SEQ_BAD'), 1);
    assert.equal(counted(results, 'LLR_RX_MISSING_SEQ'), 2);
    assert.equal(counted(results, 'LLR_TX_NACK_CTL_OS'), 1);
  });

  it('asks for no frame again that a switch has poisoned', async () => {
    const text = `
fabric: { generator: dumbbell, left: 1, right: 1, link: { rate: 100G, length: 10m } }
switches: { cutThrough: true, pipeline: 0ns }
llr: { enabled: true }
devices: { 'h*': { llr: { enabled: false } } }
duration: 100us
load: [{ name: a, stream: { from: h1, to: h2 }, frame: 1000, bytes: 2862, rate: line, start: 10us }]
faults:
  - { kind: bit-errors, where: { port: 's1:p1' }, errorRate: 0.999999, at: ${START_PS + FRAME_PS}ps,
      for: 100ns }`;
    const results = runScenario(text);
    const counts = (counter: string): number => counted(results, counter);
    assert.equal(counts('LLR_TX_OK'), 2);
    assert.equal(counts('LLR_TX_POISONED'), 1);
    assert.equal(counts('LLR_RX_OK'), 2);
    assert.equal(counts('LLR_RX_POISONED'), 1);
    assert.equal(counts('LLR_RX_EXPECTED_SEQ_GOOD'), 2);
    assert.equal(counts('LLR_RX_EXPECTED_SEQ_POISONED'), 1);
    assert.equal(counts('LLR_TX_NACK_CTL_OS') + counts('LLR_TX_REPLAY'), 0);
    assert.equal(flowOf(results, 'h2').frames, 2);
    const drops = results.ports.flatMap(({ port, priorities }) =>
      priorities.flatMap((own) => Object.entries(own.drops).map((drop) => [port, ...drop])),
    );
    assert.deepEqual(drops, [['s2:p2', 'poisoned', 1]]);
    // Without retry it ends where frames are checked whole.
    const plain = runScenario(text.replace('llr: { enabled: true }', ''));
    const { drops: atHost } = plain.ports.find(({ port }) => port === 'h2:p1')!.priorities[0]!;
    assert.deepEqual(atHost, { poisoned: 1 });
    await runsAlike(fabricOf(text), 100_000_000, [START_PS + FRAME_PS + 60_000]);
  });

  it('sends the last frame again by the replay timer, when the NACK is lost', () => {
    const lastPs = START_PS + 2 * FRAME_PS + ARRIVAL_PS;
    const lost =
      `${badAt(lastPs)}, ` +
      '{ kind: control, where: { device: h1 }, frames: llr-nack, action: lose }';
    const results = runScenario(three(lost, ', replayTimer: 5us'));
    assert.equal(flowOf(results, 'h2').frames, 3);
    assert.ok(flowOf(results, 'h2').lastArrivalPs! > lastPs + 4_000_000);
  });

  it('flushes when replays bring nothing, and counts what it gives up', () => {
    const always =
      '{ kind: bit-errors, where: { device: h2 }, errorRate: 0.999999, at: 9us, for: 40us }';
    const results = runScenario(three(always, ', replayTimer: 3us, replays: 2'));
    assert.equal(flowOf(results, 'h2').frames, 0);
    assert.equal(counted(results, 'LLR_TX_DISCARD', 'h1:p1'), 3);
    // A port that received bad frames alone has its row.
    assert.equal(counted(results, 'LLR_RX_BAD', 'h2:p1'), 9);
    // No drop of its own is left out: not of the port, not of the priority.
    const { priorities } = results.ports.find(({ port }) => port === 'h1:p1')!;
    assert.deepEqual(priorities[0]!.drops, { 'link-not-ready': 3 });
    assert.deepEqual(results.priorities[0]!.drops, { 'link-not-ready': 3 });
    // It initialises again when sets come through.
    assert.ok(counted(results, 'LLR_RX_INIT_ECHO_CTL_OS', 'h1:p1') >= 2);
  });

  it('warns of a data age that errors of the link make too short, and of no other', () => {
    const text = (age: string): string => `
fabric: { generator: pair, link: { rate: 400G, length: 2km, postFecBer: 1.0e-6 } }
llr: { enabled: true, dataAgeTimeout: ${age} }
duration: 400us
load: [{ name: a, stream: { from: h1, to: h2 }, frame: 1518, rate: line, start: 50us }]`;
    const discards = (age: string): number => counted(runScenario(text(age)), 'LLR_TX_DISCARD');
    const messages = (age: string): string[] =>
      fabricOf(text(age)).warnings.map(({ message }) => message);
    assert.match(messages('100us')[0]!, /7\.\d are bad in each round trip of 20\..*raise .* to 3/);
    assert.notEqual(discards('100us'), 0);
    assert.deepEqual(messages('auto'), []);
    assert.equal(discards('auto'), 0);
  });

  it('warns of errors that the replays do not overcome, and says how many would', () => {
    const text = (replays: string, ber: string): string => `
fabric: { generator: pair, link: { rate: 100G, length: 10m, postFecBer: ${ber} } }
llr: { enabled: true, replays: ${replays} }
duration: 5ms
load: [{ name: a, stream: { from: h1, to: h2 }, frame: 9216, rate: line, start: 50us }]`;
    const messages = (replays: string, ber: string): string[] =>
      fabricOf(text(replays, ber)).warnings.map(({ message }) => message);
    const discards = (replays: string, ber: string): number =>
      counted(runScenario(text(replays, ber)), 'LLR_TX_DISCARD');
    // Of frames of 73,728 bits 1 - (1 - 3e-6)^73728 are bad, 0.198; to the fourth, one in 645.
    const [message] = messages('auto', '3.0e-6');
    assert.match(message!, /20 % of frames of 9216 bytes are bad, and after 3 replays one in 64\d/);
    assert.match(message!, /raise replays to 7, or lower the errors of the link$/);
    assert.notEqual(discards('auto', '3.0e-6'), 0);
    assert.deepEqual(messages('7', '3.0e-6'), []);
    assert.equal(discards('7', '3.0e-6'), 0);
    assert.deepEqual(messages('auto', '1.0e-7'), []);
  });

  it('discards frames of a host without end no faster than the line takes them', () => {
    const results = runScenario(`
fabric: { generator: pair, link: { rate: 100G, length: 10m } }
llr: { enabled: true, whileInit: discard }
duration: 20us
load: [{ name: a, stream: { from: h1, to: h2 }, frame: 1000, rate: line }]
faults: [{ kind: control, where: { device: h2 }, frames: llr-init, action: lose, at: 0us, for: 20us }]`);
    const discarded = counted(results, 'LLR_TX_DISCARD', 'h1:p1');
    const fitting = 20e6 / (1020 * OCTET_PS);
    assert.ok(discarded > 0 && discarded <= fitting + 1, `${discarded} of ${fitting}`);
  });

  it('lets frames out without retry, blocks them, or discards them while it is down', () => {
    const early = (more: string): RunResults =>
      runScenario(
        three(
          '{ kind: control, where: { device: h2 }, frames: llr-init, action: lose, until: 30us }',
          more,
        ),
      );
    const atOnce = START_PS + 2 * FRAME_PS + ARRIVAL_PS;
    assert.equal(flowOf(early(''), 'h2').lastArrivalPs, atOnce);
    assert.ok(flowOf(early(', whileInit: block'), 'h2').lastArrivalPs! > 30_000_000);
    assert.equal(flowOf(early(', whileFlush: discard'), 'h2').lastArrivalPs, atOnce);
    const discarding = early(', whileInit: discard');
    assert.equal(flowOf(discarding, 'h2').frames, 0);
    assert.equal(counted(discarding, 'LLR_TX_DISCARD'), 3);
  });
});

/** Two leaves with errors between them; lossless traffic that must not lose a frame. */
function leaves(method: string, more = ''): string {
  return `
fabric:
  generator: leaf-spine
  leaves: 2
  spines: 2
  hostsPerLeaf: 2
  link: { rate: 100G, length: 20m, postFecBer: 2.0e-6 }
priorities: { 3: ${method} }
llr: { enabled: true }
switches: { pipeline: 300ns }
duration: 300us
load:
  - { name: a, permutation: { shift: 2 }, priority: 3, bytes: 300KB, start: 5us }
${more}`;
}

describe('a fabric with bit errors and link-level retry', () => {
  it('loses nothing, whatever flow control is above it, and its books balance', () => {
    for (const method of ['pfc', 'credit', 'none']) {
      const results = runScenario(leaves(method));
      assert.equal(results.failure, null, `${method}: ${results.failure?.reason}`);
      assert.ok(counted(results, 'LLR_RX_BAD') > 10, method);
      assert.equal(counted(results, 'LLR_TX_DISCARD'), 0, method);
      // Numbers are counted whatever the FCS: each frame received has one place among them.
      const sum = (...names: string[]): number =>
        names.reduce((all, name) => all + counted(results, `LLR_RX_${name}`), 0);
      const expected = sum('EXPECTED_SEQ_GOOD', 'EXPECTED_SEQ_POISONED', 'EXPECTED_SEQ_BAD');
      const received = sum('OK', 'POISONED', 'BAD');
      assert.equal(expected + sum('MISSING_SEQ', 'DUPLICATE_SEQ'), received, method);
      for (const flow of results.flows) {
        assert.notEqual(flow.completionPs, null, `${method}: ${flow.name}`);
        assert.equal(flow.retransmittedFrames, 0, `${method}: ${flow.name}`);
      }
    }
  });

  it('does the same in threads, in any windows, and saved in the middle of replays', async () => {
    // A replay is under way somewhere at each of these times.
    await runsAlike(fabricOf(leaves('pfc')), 120_000_000, [20_000_000, 37_100_000, 61_234_567]);
  });

  it('is judged by the second oracle where echoes come after a flush', () => {
    // INIT goes out every 1.2 us until its echo is there, 20 us later: as many echoes follow.
    const session = new Session(
      fabricOf(`
fabric: { generator: pair, hostLink: { length: 2km } }
load: [{ all-reduce: {}, bytes: 8000 }]
llr: { enabled: true, replayTimer: 1200ns, whileInit: block, reinitialise: false }
`),
      { check: true, deep: true },
    );
    while (session.advance(1000) === 'running');
    const { failure } = session.results('complete');
    assert.equal(failure, null, failure?.reason);
    assert.equal(session.deepSummary()!.judged.includes('link-retry'), true);
  });

  it('survives ordered sets that are lost, repeated, changed and late', () => {
    for (const action of ['lose', 'duplicate', 'corrupt', 'delay, delay: 3us']) {
      const faults = `faults: [{ kind: control, frames: any, action: ${action}, probability: 10% }]`;
      const results = runScenario(leaves('none', faults));
      assert.equal(results.failure, null, `${action}: ${results.failure?.reason}`);
    }
  });
});
