import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CE_REFUSALS } from '../../services/mechanisms/credit/conversation.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { summaryText } from '../../services/report/summary-text.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, flowOf, run, runScenario } from '../kit/emulate.js';
import { mechanismOf } from '../../services/mechanisms/credit/mechanism.js';

const PLAIN = { good: String, bad: String, strong: String };

/** One host sends to another through a switch. */
function through(faults: string, more = ''): RunResults {
  return runScenario(`
fabric: { generator: star, hosts: 2, link: { rate: 100G, length: 10m } }
priorities: { 3: pfc }
duration: 200us
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3, frame: 1000, rate: 20G }]
faults: [${faults}]
${more}`);
}

function dropsOf(results: RunResults): Record<string, number> {
  const drops: Record<string, number> = {};
  for (const { priorities } of results.ports) {
    for (const row of priorities) {
      for (const [reason, count] of Object.entries(row.drops)) {
        drops[reason] = (drops[reason] ?? 0) + count;
      }
    }
  }
  return drops;
}

function failureOf(results: RunResults): string {
  return results.failure?.reason ?? 'none';
}

describe('a fault on the wire', () => {
  it('loses the share of frames that it says, and no other priority', () => {
    const results = through('{ kind: loss, where: { device: h2 }, probability: 20%, priority: 3 }');
    const flow = flowOf(results, 'h2');
    const lost = dropsOf(results)['lost-on-link']!;
    // One frame may be on each link when the run ends.
    assert.ok(flow.sentFrames - flow.frames - lost <= 2);
    assert.ok(Math.abs(lost / (lost + flow.frames) - 0.2) < 0.06, `${lost}`);
    assert.deepEqual(
      dropsOf(through('{ kind: loss, where: { device: h2 }, probability: 20%, priority: 2 }')),
      {},
    );
  });

  it('corrupts frames at the bit error rate, and the FCS drops them', () => {
    const results = through('{ kind: bit-errors, where: { device: h2 }, errorRate: 2.0e-5 }');
    const wrong = dropsOf(results)['fcs-error']!;
    const { frames } = flowOf(results, 'h2');
    const expected = 1 - (1 - 2e-5) ** 8000;
    assert.ok(Math.abs(wrong / (wrong + frames) - expected) < 0.06);
  });

  it('corrupts control frames, and the receiver reads what is left of them', () => {
    const session = new Session(
      fabricOf(`
fabric: { generator: star, hosts: 2, link: { rate: 100G, length: 10m } }
priorities: { 3: credit }
duration: 200us
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3, frame: 1000, rate: 20G }]
faults: [{ kind: control, frames: ce-grant, action: corrupt, where: { device: h1 } }]`),
      { check: true },
    );
    while (session.advance(1000) === 'running');
    const { devices } = session.engine;
    const credit = mechanismOf(session.engine);
    const port = devices.find(({ spec }) => spec.name === 'h1')!.firstPort;
    assert.ok(credit.conversation.refusalsOf(port, CE_REFUSALS.indexOf('ceWrongChannel')) > 0);
  });

  it('delays every frame by exactly what it says', () => {
    const plain = flowOf(through(''), 'h2');
    const late = flowOf(through('{ kind: delay, where: { device: h2 }, delay: 1us }'), 'h2');
    assert.equal(late.latencyMinPs, plain.latencyMinPs! + 1e6);
    assert.equal(late.latencyMaxPs, plain.latencyMaxPs! + 1e6);
  });

  it('lets no frame overtake another when the delay varies, or ends', () => {
    const fault =
      '{ kind: delay, where: { device: h2 }, delay: 2us, jitter: 5us, at: 20us, for: 50us }';
    const results = through(fault);
    assert.equal(failureOf(results), 'none');
    assert.ok(flowOf(results, 'h2').latencyMaxPs! > 4e6);
  });

  it('slows a link down to the rate that is left', () => {
    const results = through('{ kind: slow-link, where: { device: h2 }, rate: 10G }');
    const { goodputBps } = flowOf(results, 'h2');
    // 954 octets of payload in frames of 1000 that take 1020 on the wire.
    assert.ok(goodputBps < 10e9 && goodputBps > 8.5e9, `${goodputBps}`);
  });

  it('takes both ends of a link down together, at random times too', () => {
    const fault = '{ kind: link-down, where: { device: h2 }, for: 5us, every: 20us, random: true }';
    const results = through(fault);
    const [fault1] = results.faults;
    assert.ok(fault1!.times >= 3);
    assert.equal(failureOf(results), 'none');
  });
});

describe('a fault of flow control', () => {
  const INCAST = `
fabric: { generator: star, hosts: 5 }
switches: { buffer: { size: 400KB } }
priorities: { 3: { flowControl: pfc, xoff: 20KB } }
load: [{ name: a, incast: { from: h2..h5, to: h1 }, bytes: 300KB, priority: 3, transport: reliable }]
`;

  it('that loses PFC frames makes memory overflow, and is named as the cause', () => {
    assert.deepEqual(dropsOf(runScenario(INCAST)), {});
    const results = runScenario(`${INCAST}
faults: [{ kind: control, where: { device: h2 }, frames: pfc, action: lose }]`);
    assert.deepEqual(Object.keys(dropsOf(results)), ['overflow-by-fault']);
    assert.equal(failureOf(results), 'none');
  });

  it('is a link that is slower than its rate says, whose control frames leave too late', () => {
    const results = runScenario(`
duration: 200us
fabric: { generator: dumbbell, left: 4 }
pause: { xoff: 20KB }
load: [{ stream: { from: h2, to: h6 } }, { permutation: {} }]
faults: [{ kind: slow-link, rate: 200M, for: 20us, every: 60us }]`);
    assert.deepEqual(Object.keys(dropsOf(results)), ['overflow-by-fault']);
    assert.equal(failureOf(results), 'none');
    const [{ overflows }] = results.faults as [RunResults['faults'][number]];
    assert.equal(overflows, dropsOf(results)['overflow-by-fault']);
    const words = `fault1 (slow-link) disturbs flow control: ${overflows} lossless frames found`;
    assert.ok(summaryText(results, [], PLAIN).includes(words));
  });

  it('that is elsewhere excuses no loss', () => {
    const results = runScenario(`${INCAST}
devices: { s1: { priorities: { 3: { headroom: 1000 } } } }
faults: [{ kind: freeze, where: { device: h1 }, for: 20us }]`);
    assert.match(failureOf(results), /headroom was full/);
  });

  it('stops a host for no reason as long as a storm lasts', () => {
    const results = through(
      '{ kind: storm, where: { device: s1, peer: h1 }, at: 50us, for: 100us, quanta: 100 }',
    );
    const port = results.ports.find(({ port: name }) => name === 'h1:p1')!;
    const { blockedPs } = port.priorities.find(({ priority }) => priority === 3)!;
    assert.ok(Math.abs(blockedPs - 100e6) < 1e6, `${blockedPs}`);
  });
});

describe('recovery', () => {
  const credit = (counts: string, fault: string): string => `
fabric: { generator: star, hosts: 2 }
priorities: { 3: credit }
credit: { counts: ${counts} }
duration: 400us
load: [{ name: a, stream: { from: h2, to: h1 }, priority: 3 }]
faults: [${fault}]
`;
  const GRANTS =
    '{ kind: control, where: { device: h2 }, frames: ce-grant, action: lose, probability: 20%, ' +
    'for: 60us, recover: 100us }';

  it('is seen where totals repair what was lost', () => {
    const results = runScenario(credit('cumulative', GRANTS));
    assert.equal(failureOf(results), 'none');
    assert.ok(results.faults[0]!.hits > 0);
    assert.deepEqual(results.lostCredits, []);
  });

  it('is missed, and what is missing named, where amounts are lost for ever', () => {
    const results = runScenario(credit('incremental', GRANTS));
    assert.match(
      failureOf(results),
      /^no recovery in time: fault1 was over at 60 us, and 100 us later \d+ units of credit are lost$/,
    );
    assert.equal(results.failure!.port, 'h2:p1');
    assert.ok(results.lostCredits.some(({ port, units }) => port === 'h2:p1' && units > 0));
  });

  it('is not checked, with a warning, where the link has errors all the time', () => {
    const text = credit('incremental', GRANTS).replace(
      'hosts: 2',
      'hosts: 2, hostLink: { postFecBer: 1e-8 }',
    );
    assert.equal(failureOf(runScenario(text)), 'none');
    const { warnings } = fabricOf(text);
    assert.deepEqual(
      warnings.map(({ path, message }) => `${path.join('.')}: ${message}`),
      [
        'faults.0.recover: h2:p1, s1:p2: recovery is not checked: the link has bit errors all the time; ' +
          'leave recover out, or the error rate of the link',
      ],
    );
  });

  it('is missed where its bound is shorter than it can be', () => {
    const flap = '{ kind: link-down, where: { device: h2 }, at: 50us, for: 10us, recover: 20ns }';
    assert.match(failureOf(runScenario(credit('cumulative', flap))), /credit is not agreed upon/);
    const slower = flap.replace('recover: 20ns', 'recover: 60us');
    assert.equal(failureOf(runScenario(credit('cumulative', slower))), 'none');
  });

  it('of stolen credit comes with the next report', () => {
    const theft =
      '{ kind: steal-credit, where: { device: h2 }, size: 6KB, interval: 30us, for: 90us, recover: 60us }';
    const repaired = runScenario(credit('cumulative', theft));
    assert.equal(failureOf(repaired), 'none');
    assert.ok(flowOf(repaired, 'h1').goodputBps > 80e9);
    assert.match(failureOf(runScenario(credit('incremental', theft))), /units of credit are lost/);
  });

  const cbfc = (fault: string, more = ''): string => `
fabric: { generator: star, hosts: 2 }
priorities: { 3: cbfc }
duration: 800us
load: [{ name: a, stream: { from: h2, to: h1 }, priority: 3 }]
faults: [${fault}]
${more}`;

  it('of CBFC from lost frames comes with the next CC_Update, and not before', () => {
    const lossy = (recover: string): string =>
      `{ kind: loss, where: { device: h1 }, probability: 1%, for: 100us, recover: ${recover} }`;
    assert.match(
      failureOf(runScenario(cbfc(lossy('50us')))),
      /^no recovery in time: fault1 was over at 100 us, and 50 us later \d+ credits of virtual channel 3 are lost$/,
    );
    const recovered = runScenario(cbfc(lossy('300us')));
    assert.equal(failureOf(recovered), 'none');
    assert.ok(recovered.faults[0]!.hits > 0);
  });

  it('of CBFC from lost CF_Updates comes with the next one', () => {
    const lossy = (recover: string): string =>
      '{ kind: control, where: { device: h2 }, frames: cf-update, action: lose, for: 100us, ' +
      `recover: ${recover} }`;
    assert.match(failureOf(runScenario(cbfc(lossy('1ns')))), /that were freed are not known$/);
    assert.equal(failureOf(runScenario(cbfc(lossy('30us')))), 'none');
  });

  it('of CBFC and retry after an outage comes when both ends have begun again', () => {
    const flap = (recover: string): string =>
      `{ kind: link-down, where: { device: h2 }, at: 50us, for: 100us, recover: ${recover} }`;
    assert.match(failureOf(runScenario(cbfc(flap('20ns')))), /are not agreed upon$/);
    assert.equal(failureOf(runScenario(cbfc(flap('20us')))), 'none');
    const llr = 'llr: { enabled: true, pcsLostTimeout: 20us }';
    assert.match(
      failureOf(runScenario(cbfc(flap('20ns'), llr))),
      /(not agreed upon|link-level retry is in INIT)$/,
    );
    assert.equal(failureOf(runScenario(cbfc(flap('20us'), llr))), 'none');
    const stays = `${llr.slice(0, -2)}, reinitialise: false }`;
    assert.match(
      failureOf(runScenario(cbfc(flap('20us'), stays))),
      /link-level retry is in FLUSH$/,
    );
  });

  it('after a reboot leaves nothing in the switch, and credit agreed on all its links', () => {
    const results = run(fabricOf('examples/reboot-leaf.yaml'));
    assert.equal(failureOf(results), 'none');
    assert.ok(dropsOf(results)['device-reset']! > 0);
    assert.deepEqual(results.lostCredits, []);
  });
});

describe('faults that hit nothing', () => {
  const at = (fault: string) => () => through(fault);

  it('are bad input', () => {
    assert.throws(
      at('{ kind: freeze, where: { device: h7 } }'),
      /no port matches: fault1 hits none/,
    );
    assert.throws(
      at('{ kind: stuck-credit }'),
      /none of the ports that fault1 hits has credit exchange/,
    );
    assert.throws(at('{ kind: storm, priority: 5 }'), /has pause or pfc/);
    const many = Array.from({ length: 1001 }, () => '{ kind: freeze }').join();
    assert.throws(at(many), /too many faults; at most 1000/);
    assert.throws(at('{ kind: reboot, where: { kind: host }, for: 1us }'), /hits none/);
  });

  it('are bad input at too many ports together', () => {
    const many = Array.from({ length: 500 }, () => '{ kind: loss, probability: 1% }').join();
    // 6,144 ports each.
    const wide = ['fabric={ generator: fat-tree, k: 16 }', 'load=[]', 'expect=[]'];
    assert.throws(
      () => fabricOf('examples/incast-pfc.yaml', ...wide, `faults=[${many}]`),
      /faults at too many ports; at most 1000000 in all/,
    );
  });
});

describe('an isolated queue', () => {
  const isolated = (faults: string, ...set: string[]): string => {
    const file = 'examples/incast-ci.yaml';
    const own = ['expect=[]', 'duration=110us', `faults=[${faults}]`];
    return failureOf(run(fabricOf(file, ...own, ...set)));
  };

  it('is paused with the priority of its frames where the link partner is a host', () => {
    const slow = '{ kind: slow-receiver, rate: 8G, where: { device: h5 } }';
    assert.equal(isolated(slow), 'none');
  });

  it('may overflow where the link partner has a watchdog that forwards', () => {
    const watchdog = '{ detection: 50us, restoration: 50us, action: forward }';
    const slow = '{ kind: slow-link, rate: 1G, where: { device: spine1 }, at: 40us, for: 60us }';
    const load =
      '[{ name: congestion, stream: { from: h1..h3, to: h5 }, rate: line, priority: 3 }]';
    const set = [2, 3].map((priority) => `priorities.${priority}.watchdog=${watchdog}`);
    set.push(`load=${load}`);
    assert.equal(isolated(slow, ...set), 'none');
  });
});
