import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { LiveFaults } from '../../services/runtime/live-faults.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, run, sourceOf } from '../kit/emulate.js';

const SWITCH = `
name: set
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 100m } }
priorities: { 3: { flowControl: pfc } }
switches:
  buffer:
    asic: { cell: 254, slices: 2, poolSize: gross }
    pools: { ingress: { size: 1MB, headroom: 400KB }, other: { size: 300KB } }
    profiles:
      near: { pool: ingress, reserved: 2540, headroom: auto, xonOffset: 2540, alpha: 1 }
      far: { pool: ingress, headroom: auto, limit: 20KB }
      elsewhere: { pool: other, headroom: auto, alpha: 0.5 }
    assign:
      - { groups: [3], profile: near }
      - { groups: [3], profile: far, cable: 2km }
load: [{ name: l, incast: { from: h2..h4, to: h1 }, bytes: 400KB, priority: 3 }]
`;
const FAULTS = `
faults:
  - { kind: set, at: 45us, where: { port: 's1:p3' }, profile: elsewhere, groups: [3] }
  - { kind: set, at: 20us, where: { device: s1 }, profile: near, alpha: 0.0625, reserved: 0B }
  - { kind: set, at: 30us, where: { link: h2 s1 }, rate: 25G, cable: 2km }
  - { kind: set, at: 40us, where: { device: s1 }, pool: ingress, size: 600KB, headroom: 300KB }
  - { kind: set, at: 60us, where: { port: 's1:p2' }, cable: 100m, rate: 50G }
`;

/** One fault, and why it is refused. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['rate: 10G, for: 1us', /for means nothing to set; a switch keeps what it is set to/],
  ['until: 1us, rate: 10G', /until means nothing to set/],
  ['name: x', /yaml:.* nothing to set: give rate, cable, profile or pool/],
  ['rate: 3G', /not a rate of Ethernet; there are/],
  ['rate: 400G', /faster than the link of .*: describe the link by its highest rate/],
  ['cable: 1m', /shorter than the link of/],
  ['profile: near', /nothing to set with near: give one of groups, queues, alpha/],
  ['profile: near, groups: [3], alpha: 1', /the profile itself changes for all that have it/],
  ['groups: [3]', /groups needs profile/],
  ['size: 1MB', /size needs pool/],
  ['pool: ingress', /nothing to set of ingress: give size or headroom/],
  ['pool: ingress, profile: near', /a pool or a profile/],
  ['pool: ingress, size: 1MB, alpha: 1', /a pool has no alpha/],
  ['pool: egress, size: 1MB', /no such pool: egress; there are ingress, other/],
  ['profile: none, alpha: 1', /no such profile: none; there are near, far, elsewhere/],
  ['profile: none, groups: [3]', /no such profile: none/],
  ['pool: ingress, size: 100KB', /too small: the pool has 100000 bytes/],
  ['pool: ingress, headroom: 0B', /shared headroom cannot come or go while a switch runs/],
];

describe('a switch that is set while it runs', () => {
  const fabric = fabricOf(SWITCH + FAULTS);
  const whole = run(fabric);

  it('loses nothing that it stores, and goes on with what it was set to', () => {
    const drops = whole.priorities.flatMap(({ drops: all }) => Object.values(all));
    assert.deepEqual(
      drops.filter((count) => count > 0),
      [],
    );
    assert.ok(whole.flows.every(({ cause }) => cause === null));
    const [own] = whole.buffers;
    const sizes = own!.pools!.filter(({ slice }) => slice === 0).map((pool) => pool.sizeOctets);
    // 600 KB less shared headroom, in whole cells of two slices; nothing is reserved any more.
    const shared = Math.floor((Math.floor(600e3 / 254) - Math.floor(300e3 / 254)) / 2) * 254;
    assert.equal(sizes[0], shared);
    assert.equal(sizes.at(-1), Math.floor(300e3 / 254 / 2) * 254);
    const before = run(fabricOf(SWITCH)).margins.find(({ port }) => port === 's1:p2')!;
    const after = whole.margins.find(({ port }) => port === 's1:p2')!;
    // Its cable is what it was, and its rate half: less may arrive after a pause.
    assert.ok(after.headroomOctets < before.headroomOctets);
  });

  it('is the same in services, and after a checkpoint between two settings', () => {
    const alone = placeEachAlone(fabric.topology);
    const cluster = new Cluster(fabric, alone, new RandomStream(1, ''));
    cluster.run();
    assert.deepEqual(cluster.results(false), whole);
    const session = new Session(fabric, { check: true });
    session.runTo(35e6);
    const other = new Session(fabric, { check: true });
    other.restore(session.save());
    while (other.advance(1000) === 'running');
    assert.equal(other.results('complete').digest, whole.digest);
  });

  it('may be set by injection, which is what it would have been by its file', () => {
    const { loaded, fabric: plain } = sourceOf(SWITCH);
    const live = new LiveFaults(loaded, plain);
    const session = new Session(live.fabric, { check: true });
    session.runTo(20e6);
    const inject = (fault: Record<string, unknown>): void => {
      const { change } = live.take({ kind: 'inject', fault }, session.boundPs);
      session.change(change, live.fabric);
    };
    inject({ kind: 'set', where: { device: 's1' }, profile: 'near', alpha: 0.0625 });
    inject({ kind: 'set', at: '50us', where: { port: 's1:p3' }, cable: '2km' });
    assert.throws(() => {
      inject({ kind: 'set', where: { device: 's1' }, profile: 'near', alpha: 1 });
    }, /fault2 sets the same switch later, and was planned without this: inject it after that/);
    assert.throws(() => {
      live.take({ kind: 'clear', name: 'fault1' }, session.boundPs);
    }, /until means nothing to set/);
    while (session.advance(1000) === 'running');
    const { digest } = session.results('complete');
    const words = (live.loaded.document as { faults: unknown }).faults;
    assert.equal(run(fabricOf(`${SWITCH}faults: ${JSON.stringify(words)}\n`)).digest, digest);
  });

  for (const [keys, reason] of REFUSED) {
    it(`is refused: ${keys}`, () => {
      const text = `${SWITCH}faults: [{ kind: set, where: { device: s1 }, ${keys} }]\n`;
      assert.throws(() => fabricOf(text), reason);
    });
  }

  it('without pools has a link that is set, and nothing else', () => {
    const star = 'fabric: { generator: star, hosts: 2 }\nduration: 10us\n';
    const faults = (keys: string): string => `${star}faults: [{ kind: set, ${keys} }]\n`;
    run(fabricOf(faults('rate: 1G')));
    assert.throws(
      () => fabricOf(faults('pool: a, size: 1MB')),
      /has pools \(switches.buffer.pools\)/,
    );
  });
});
