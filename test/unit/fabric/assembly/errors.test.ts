import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scenario } from '../../../../services/fabric/scenario/scenario.js';
import { RELIABLE, stream } from '../load/loads.js';
import { linkOf, section } from '../topology/fabrics.js';
import {
  fabric,
  mechanisms,
  override,
  PAUSING,
  priorities,
  scenario,
  SWITCHES,
} from './scenarios.js';

function rejects(part: Partial<Scenario>, message: RegExp): void {
  assert.throws(() => fabric(part), message);
}

const HOST = (name: string): { name: string; kind: 'host'; tier: string } => {
  return { name, kind: 'host', tier: 'host' };
};
const LOSSLESS = priorities({ flowControl: 'pfc' }, [3]);
const BRIDGED = { ...SWITCHES, forwarding: 'bridged' as const };
const RING = section({ kind: 'ring', switches: 3, hostsPerSwitch: 1 });

test('hosts that no path joins cannot have a flow', () => {
  const apart = section(
    { kind: 'pair' },
    { devices: [HOST('h3'), HOST('h4')], links: [linkOf('h3 h4')] },
  );
  const load = [stream({ from: ['h1'], to: ['h4'], bytes: 1000 })];
  rejects({ fabric: apart, load }, /^Error: load\.0: there is no path from h1 to h4$/);
});

test('a group is not called as hosts are, which loads would take it for', () => {
  const named = (name: string) => ({ groups: [{ name, members: ['h1', 'h2'] }] });
  rejects(
    named('all'),
    /^Error: groups\.all: all means every host already: give the group another name$/,
  );
  rejects(named('h2'), /^Error: groups\.h2: h2 is a device: give the group another name$/);
});

test('headroom beyond the memory names the sum, the size and the biggest term', () => {
  const buffer = { ...SWITCHES.buffer, sizeBytes: 20_000 };
  rejects(
    { switches: { ...SWITCHES, buffer }, priorities: LOSSLESS },
    new RegExp(
      '^Error: switches\\.buffer\\.size: impossible headroom: s1 needs 29073 bytes .* and has ' +
        '20000; most of it is at s1:p1: .* priority 3, of which 6250 for the ingress pipeline; size: auto, or more$',
    ),
  );
  rejects(
    { overrides: [override('s*', { switch: { buffer } })], priorities: LOSSLESS },
    /^Error: devices\.s\*\.buffer\.size: impossible headroom/,
  );
});

test('a priority with pfc at one end of a link only is named with both ports', () => {
  const change = {
    priority: 3,
    path: ['devices', 'h2', 'priorities', '3'],
    flowControl: 'none',
    pausing: {},
    mechanisms: {},
  } as const;
  rejects(
    { priorities: LOSSLESS, overrides: [override('h2', { priorities: [change] })] },
    /^Error: devices\.h2\.priorities\.3: priority 3 has pfc at s1:p2 but not .*, h2:p1; make them alike or give a fallback$/,
  );
});

test('lossless priorities of a device agree on what its control frames say', () => {
  const quick = priorities({ flowControl: 'pfc', pausing: { ...PAUSING, quanta: 100 } }, [4])[4]!;
  const sections = priorities({ flowControl: 'pfc' }, [3]).with(4, quick);
  rejects({ priorities: sections }, /priorities\.4: priorities 3 and 4 of h1:p1 differ in quanta/);
});

test('priorities that share a traffic class are marked alike', () => {
  const mechanisms = { ecn: { step: 9000, at: 'dequeue' } };
  rejects(
    {
      priorities: priorities({ mechanisms }, [3]),
      classes: { ...scenario().classes, transmit: [0, 1, 2, 3, 3, 5, 6, 7] },
    },
    /priorities\.4\.ecn: priorities 3 and 4 share traffic class 3 of s1 but are marked/,
  );
});

test('bridges in a loop are named', () => {
  rejects(
    { fabric: RING, switches: BRIDGED },
    /^Error: switches\.forwarding: bridges in a loop \(s1 - s2 - s3 - s1\)/,
  );
});

test('a VLAN that a port on the way does not carry is named', () => {
  rejects(
    {
      switches: BRIDGED,
      load: [stream({ bytes: 1000, vlan: { inner: 7, outer: null, dei: false } })],
    },
    /^Error: load\.0: port s1:p1 does not carry VLAN 7 of h1->h2$/,
  );
});

test('a port of a bridge that it does not have is named', () => {
  const ports = [{ port: 4, native: 5, tagged: [], slots: {} }];
  rejects(
    { switches: BRIDGED, overrides: [override('s1', { switch: { ports } })] },
    /^Error: devices\.s1\.ports\.4: there is no port s1:p4; it has 3 ports$/,
  );
});

test('an override for a device that does not exist is named', () => {
  rejects({ overrides: [override('h4', {})] }, /^Error: devices\.h4: there is no device h4/);
});

test('groups take raw frames, for a member other than the sender', () => {
  const to = { to: ['g'], group: true, bytes: 1000 };
  const groups = [{ name: 'g', members: ['h1'] }];
  rejects({ groups, load: [stream({ ...to, transport: RELIABLE })] }, /raw frames/);
  rejects({ groups, load: [stream(to)] }, /load\.0: .*the sender is the only member of the group/);
});

test('an address given twice is reported where it was given', () => {
  const same = { mac: '02:00:00:00:00:01' };
  rejects({ overrides: [override('h2', { host: same })] }, /^Error: devices\.h2\.mac: /);
});

test('messages of source flow control do not wait in the queues that they are about', () => {
  const watched = priorities({ mechanisms: { sfc: true } }, [6]);
  rejects({ priorities: watched }, /^Error: sfc\.priority: priority 6 is watched itself: /);
  rejects(
    {
      priorities: priorities({ mechanisms: { sfc: true } }, [3]),
      overrides: [override('s1', { mechanisms: { sfc: { priority: 3 } } })],
    },
    /^Error: devices\.s1\.sfc\.priority: priority 3 is watched itself: /,
  );
});

test('priorities that share a traffic class are watched together', () => {
  const transmit = [0, 1, 2, 3, 3, 5, 6, 7];
  const classes = { transmit, receive: transmit, arbiter: { kind: 'strict' as const } };
  rejects(
    { priorities: priorities({ mechanisms: { sfc: true } }, [3]), classes },
    /^Error: priorities\.3: priorities 3 and 4 share the traffic class 3, but only 3 has sfc; /,
  );
});

test('thresholds and pauses of source flow control are in order', () => {
  const watched = priorities({ mechanisms: { sfc: true } }, [3]);
  const sfc = { detect: 9000, target: 9000 };
  rejects(
    { priorities: watched, mechanisms: mechanisms({ sfc }) },
    /^Error: sfc\.target: target 9000 is not below the threshold, 9000 bytes$/,
  );
  rejects(
    { priorities: watched, mechanisms: mechanisms({ sfc: { pauseMin: 2, pauseMax: 1 } }) },
    /^Error: sfc\.pauseMin: pauseMin is more than pauseMax$/,
  );
});

test('a congesting queue is shared with no other priority', () => {
  const watched = priorities({ mechanisms: { ci: true } }, [3]);
  rejects(
    { priorities: watched, mechanisms: mechanisms({ ci: { priority: 3 } }) },
    /^Error: ci\.priority: priority 3 is watched itself; isolate to another$/,
  );
  rejects(
    { priorities: watched, mechanisms: mechanisms({ ci: { messagePriority: 2 } }) },
    /^Error: ci\.messagePriority: messages of priority 2 would wait in the queues whose congestion they signal$/,
  );
  const load = [stream({ from: ['h1'], to: ['h2'], bytes: 1000, priority: 2 })];
  rejects({ priorities: watched, load }, /^Error: ci\.priority: priority 2 is in use by /);
});

test('isolated flows are blocked like the others', () => {
  const watched = priorities({ flowControl: 'pfc', mechanisms: { ci: true } }, [3]);
  rejects(
    { priorities: watched },
    /^Error: priorities\.2: priority 2 has flowControl none at s1:p1, but 3 has pfc: queues that share /,
  );
  const credited = priorities({ flowControl: 'credit', mechanisms: { ci: true } }, [3]);
  rejects({ priorities: credited }, /^Error: priorities\.3: priority 3: ci and credit do not go /);
});

test('congestion isolation needs the maps as they are, and thresholds in order', () => {
  const watched = priorities({ mechanisms: { ci: true } }, [3]);
  const transmit = [0, 1, 2, 3, 3, 5, 6, 7];
  const classes = { transmit, receive: transmit, arbiter: { kind: 'strict' as const } };
  rejects({ priorities: watched, classes }, /^Error: classes: ci needs a queue and an account /);
  rejects(
    { priorities: watched, mechanisms: mechanisms({ ci: { detect: 5000, low: 5000 } }) },
    /^Error: ci\.low: low 5000 is not below the threshold, 5000 bytes$/,
  );
});
