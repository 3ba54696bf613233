import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BufferSpec } from '../../../../services/engine/contract/memory.js';
import type { SwitchSpec } from '../../../../services/engine/contract/spec.js';
import type { ScenarioError } from '../../../../services/settings/errors.js';
import { fabricOf } from '../../../kit/emulate.js';

const HEAD = `
fabric: { generator: star, hosts: 4, hostLink: { rate: 100G, length: 5m } }
priorities: { 3: { flowControl: pfc } }
switches:
  buffer:
`;
const PROFILES = `
    profiles:
      lossless: { pool: ingress, reserved: 2000, headroom: 9000, xonOffset: 500, alpha: 1 }
      lossy: { pool: egress, reserved: 1500, limit: 5000 }
    assign:
      - { groups: [3], profile: lossless }
      - { queues: [0], profile: lossy }
`;

function bufferOf(asic: string, pools: string, rest = PROFILES): BufferSpec {
  const text = `${HEAD}    asic: ${asic}\n    pools: ${pools}\n${rest}`;
  const spec = fabricOf(text).specs.find(({ kind }) => kind === 'switch');
  return (spec as SwitchSpec).buffer;
}

const octetsOf = (buffer: BufferSpec): number => buffer.pools!.pools[0]!.octets;

const POOLS = '{ ingress: { size: 1000000 }, egress: { type: egress, size: 500000 } }';
const SHARED =
  '{ ingress: { size: 1000000, headroom: 100000 }, egress: { type: egress, size: 500000 } }';

describe('a plan of pools', () => {
  it('takes the size of a net pool as what may be shared, in whole cells of each slice', () => {
    const buffer = bufferOf('{ cell: 100, slices: 4 }', POOLS);
    assert.equal(octetsOf(buffer), 250_000);
    assert.deepEqual(buffer.pools!.sliceOf, [0, 1, 2, 3]);
    assert.equal(buffer.pools!.headroomOctets, Infinity);
  });

  it('takes headroom, reserves of groups and of ports from a gross pool', () => {
    const own = '{ cell: 100, poolSize: gross, portReserve: 3 }';
    // Four ports: a reserve of 20 cells, 3 for queues, and each group its 90, or all of them 1000.
    assert.equal(octetsOf(bufferOf(own, POOLS)), 1_000_000 - 4 * (2000 + 300 + 9000));
    assert.equal(octetsOf(bufferOf(own, SHARED)), 1_000_000 - 4 * (2000 + 300) - 100_000);
  });

  it('rounds sizes as the chip does, and knows headroom that a chip doubles or cannot use', () => {
    const headroom = (asic: string, pools: string): number =>
      bufferOf(asic, pools).accounts[0]![3]!.headroomOctets;
    assert.equal(headroom('{ cell: 256 }', POOLS), 35 * 256);
    assert.equal(headroom('{ cell: 256, rounding: up }', POOLS), 36 * 256);
    assert.equal(headroom('{ cell: 256, headroomTimes: 2 }', SHARED), 70 * 256);
    assert.equal(headroom('{ cell: 256, headroomLost: 5 }', POOLS), 30 * 256);
    assert.equal(headroom('{ cell: 256, headroomLost: 5 }', SHARED), 35 * 256);
  });

  it('assigns profiles by port, rate and cable, of which later ones win', () => {
    const assign = (entries: string): BufferSpec =>
      bufferOf(
        '{ cell: 1 }',
        '{ ingress: { size: 100000 } }',
        `
    profiles:
      a: { pool: ingress, headroom: 1000, alpha: 1 }
      b: { pool: ingress, headroom: 2000, alpha: 1 }
    assign: [ { groups: [3], profile: a }, ${entries} ]
`,
      );
    const headroom = ({ accounts }: BufferSpec): number[] =>
      accounts.map((own) => own[3]!.headroomOctets);
    const b = 'groups: [3], profile: b';
    assert.deepEqual(headroom(assign(`{ ports: [2], ${b} }`)), [1000, 2000, 1000, 1000]);
    assert.deepEqual(headroom(assign(`{ rate: 100G, cable: 5m, ${b} }`)), [2e3, 2e3, 2e3, 2e3]);
    assert.deepEqual(headroom(assign(`{ rate: 40G, ${b} }`)), [1e3, 1e3, 1e3, 1e3]);
    assert.deepEqual(headroom(assign(`{ cable: 300m, ${b} }`)), [1e3, 1e3, 1e3, 1e3]);
  });

  it('has a profile computed by the script of a chip, by rate and cable', () => {
    const text = `${HEAD.replace('5m', '300m')}    pools: { ingress: { size: 1000000 } }
    profiles: { lossless: { pool: ingress, alpha: 1, headroom: { chip: spc1 } } }
    assign: [ { groups: [3], profile: lossless } ]
`;
    const { buffer } = fabricOf(text).specs.find(({ kind }) => kind === 'switch') as SwitchSpec;
    // The worked example of Spectrum: 100G, 300 m, 9100 and 1024 bytes, half of the packets small.
    assert.equal(buffer.accounts[0]![3]!.headroomOctets, 84_992);
    assert.equal(buffer.accounts[0]![3]!.reservedOctets, 104_448 - 84_992);
    assert.equal(buffer.pools!.groups[0]![3]!.xonOctets, 19_456);
  });

  it('refuses what does not fit together, and says where it stands', () => {
    const refuses = (pools: string, rest: string, message: RegExp): void => {
      assert.throws(() => bufferOf('th5', pools, rest), message);
    };
    refuses(
      '{ ingress: { size: 1000 } }',
      PROFILES,
      /:\d+:\d+: no such pool: egress; there are ingress/,
    );
    refuses(POOLS, '', /:\d+:\d+: no profile for group 3 of s1:p1, which pauses/);
    refuses(
      '{ ingress: { size: 1000 }, egress: { type: egress, size: 1000 } }',
      PROFILES,
      /:\d+:\d+: too small: the pool has 1000 bytes, .* take \d+/,
    );
    const swapped = PROFILES.replace('queues: [0]', 'groups: [0]');
    refuses(POOLS, swapped, /:\d+:\d+: lossy is of the egress pool egress/);
    const beyond = PROFILES.replace('groups: [3]', 'ports: [9], groups: [3]');
    refuses(POOLS, beyond, /:\d+:\d+: no port 9: the switch has 4/);
    const unknown = PROFILES.replace('profile: lossy', 'profile: other');
    refuses(POOLS, unknown, /:\d+:\d+: no such profile: other; there are lossless, lossy/);
    const limits = `${PROFILES}    portLimits: [ { pool: egress, alpha: 1 } ]\n`;
    refuses(POOLS, limits, /:\d+:\d+: no such ingress pool: egress/);
  });

  it('refuses pools above the chip, and what is reserved above a pool: all of them at once', () => {
    const pools = '{ ingress: { size: 1000 }, more: { size: 2MB, headroom: 1MB } }';
    const profiles = PROFILES.replace(/egress/g, 'more').replace('queues: [0]', 'groups: [1]');
    const asic = '{ cell: 254, poolSize: gross, memory: 10000 }';
    assert.throws(() => bufferOf(asic, pools, profiles), /too small/);
    try {
      bufferOf(asic, pools, profiles);
    } catch (error) {
      const { message, others } = error as ScenarioError;
      assert.match(message, /too small: the pool has 1000 bytes/);
      assert.deepEqual(
        others.map(({ problem }) => problem),
        [
          'above the chip: size and shared headroom are 11813 cells of 254 bytes, and the chip has ' +
            '10000; the switch would leave its lossless profiles unprogrammed',
        ],
      );
    }
  });

  it('refuses pools above the size that the buffer is given, and takes any without one', () => {
    const written = (size: string): string =>
      `${HEAD}    size: ${size}\n    asic: th5\n    pools: ${SHARED}\n${PROFILES}`;
    assert.throws(
      () => fabricOf(written('1090KB')),
      /above the size of the buffer: 1100000 bytes with its headroom, of 1090000/,
    );
    for (const size of ['1100KB', 'auto']) fabricOf(written(size));
  });

  it('refuses a priority with credit, whose buffer pools do not back', () => {
    const text = `${HEAD.replace('pfc', 'credit')}    pools: ${POOLS}\n${PROFILES}`;
    assert.throws(() => fabricOf(text), /:\d+:\d+: s1:p1 has credit/);
  });
});
