/** What check says of random switches, against the worst loads: all ports at once, every length. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { scenarioOfText } from '../../services/fabric/scenario/load-scenario.js';
import { Session } from '../../services/runtime/session.js';
import { checkSwitches } from '../../services/sonic/check.js';
import { losingLoad } from '../../services/sonic/loss.js';
import { asicOf, readSwitches } from '../../services/sonic/read.js';
import { scenarioOf } from '../../services/sonic/scenario.js';
import { isLong } from '../kit/long-suite.js';
import { fc } from '../kit/properties.js';

const LOADS = isLong ? 10_000 : 120;

interface World {
  readonly speed: number;
  readonly cables: readonly number[];
  readonly mtu: number;
  readonly cell: number;
  readonly slices: number;
  readonly poolSize: number;
  readonly alpha: number;
  readonly isShared: boolean;
}

const world: fc.Arbitrary<World> = fc.record({
  speed: fc.constantFrom(10_000, 25_000, 100_000, 400_000),
  cables: fc.array(fc.constantFrom(1, 5, 40, 300), { minLength: 4, maxLength: 4 }),
  mtu: fc.constantFrom(1500, 9100),
  cell: fc.constantFrom(1, 80, 208, 254, 256),
  slices: fc.constantFrom(1, 2),
  poolSize: fc.constantFrom(40_000, 100_000, 200_000),
  alpha: fc.integer({ min: -4, max: 3 }),
  isShared: fc.boolean(),
});

const PORTS = ['Ethernet0', 'Ethernet4', 'Ethernet8', 'Ethernet12'];
const folder = mkdtempSync(join(tmpdir(), 'selvage-worst-'));
after(() => {
  rmSync(folder, { recursive: true });
});

/** The switch as its files have it, with so much headroom by port. */
function checked(own: World, headroom: readonly number[]) {
  const { speed, cables, mtu, cell, slices, poolSize, alpha, isShared } = own;
  const ofPorts = <Value>(value: (port: number) => Value): Record<string, Value> =>
    Object.fromEntries(PORTS.map((name, port) => [name, value(port)]));
  // Of each slice two ports, or all four; two groups each.
  const most = Math.max(...headroom);
  const shared = 8 * (most + cell);
  const profiles = Object.fromEntries(
    headroom.map((xoff, port) => [
      `p${port}`,
      {
        pool: 'ingress_lossless_pool',
        size: String(isShared ? 0 : xoff),
        xoff: String(xoff),
        dynamic_th: String(alpha),
      },
    ]),
  );
  const tables = {
    DEVICE_METADATA: { localhost: { hostname: 'leaf1', hwsku: 'none' } },
    PORT: ofPorts(() => ({ speed: String(speed), mtu: String(mtu), admin_status: 'up' })),
    CABLE_LENGTH: { AZURE: ofPorts((port) => `${cables[port]!}m`) },
    BUFFER_POOL: {
      ingress_lossless_pool: {
        ...{ type: 'ingress', mode: 'dynamic', size: String(poolSize) },
        ...(isShared && { xoff: String(shared * slices) }),
      },
    },
    BUFFER_PROFILE: profiles,
    BUFFER_PG: Object.fromEntries(
      PORTS.map((name, port) => [`${name}|3-4`, { profile: `p${port}` }]),
    ),
    PORT_QOS_MAP: ofPorts(() => ({ pfc_enable: '3,4' })),
  };
  const file = join(folder, 'config_db.json');
  writeFileSync(file, JSON.stringify(tables, null, 1));
  const switches = readSwitches({ files: [file] });
  const asic = asicOf(`{ cell: ${cell}, slices: ${slices} }`, '');
  const [verdict] = checkSwitches(switches, asic, file);
  return { switches, asic, verdict: verdict!, scenario: scenarioOf(switches, asic) };
}

/** Headroom that check says is needed, by port, in whole cells. */
function neededBy(own: World): number[] {
  const { verdict } = checked(own, [1e6, 1e6, 1e6, 1e6]);
  return PORTS.map((port) => verdict.groups.find((group) => group.port === port)!.neededOctets);
}

/** Frames of lossless classes that are lost. */
function lost(text: string): number {
  const session = new Session(buildFabric(scenarioOfText('worst.yaml', text)), { check: false });
  while (session.advance(1000) === 'running');
  const { priorities } = session.results('complete');
  const sums = priorities
    .filter(({ priority }) => priority === 3 || priority === 4)
    .map(({ drops }) => Object.values(drops).reduce((sum, frames) => sum + frames, 0));
  return sums.reduce((sum, frames) => sum + frames, 0);
}

const length = (mtu: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(64, 65, 81, 209, 255, 257, mtu + 18),
    fc.integer({ min: 64, max: mtu + 18 }),
  );

/** Streams of three stations to the fourth, and back, so that pauses wait for the link. */
const loads = ({ mtu, speed, poolSize }: World): fc.Arbitrary<string> =>
  fc
    .record({
      frames: fc.array(length(mtu), { minLength: 6, maxLength: 6 }),
      classes: fc.constantFrom([3], [4], [3, 4]),
      target: fc.integer({ min: 1, max: 4 }),
      back: length(mtu),
      offset: fc.integer({ min: 0, max: 2000 }),
    })
    .map(({ frames, classes, target, back, offset }) => {
      const others = [1, 2, 3, 4].filter((station) => station !== target);
      const streams = others.flatMap((from, i) => [
        ...classes.map(
          (tc, k) =>
            `  - { stream: { from: h${from}, to: h${target} }, transport: raw, ` +
            `frame: ${frames[2 * i + k]!}, priority: ${tc}, dscp: ${tc}, start: ${i * offset}ns }`,
        ),
        `  - { stream: { from: h${target}, to: h${from} }, transport: raw, frame: ${back} }`,
      ]);
      const fillPs = Math.ceil((poolSize * 8e6) / speed) + 12e6;
      return `\nduration: ${fillPs}ps\nload:\n${streams.join('\n')}\n`;
    });

describe('what check says of random switches', () => {
  it(`lossless: ${LOADS} worst loads lose nothing, with no more headroom than it asks for`, () => {
    const cases = world.chain((own) => loads(own).map((text) => ({ own, text })));
    fc.assert(
      fc.property(cases, ({ own, text }) => {
        const { verdict, scenario } = checked(own, neededBy(own));
        assert.equal(verdict.verdict, 'lossless', JSON.stringify(verdict.groups[0]));
        assert.equal(lost(`${scenario.text}${text}`), 0);
      }),
      { numRuns: LOADS },
    );
  });

  it('not lossless: with half of that a load is found, and loses a frame as a scenario', () => {
    fc.assert(
      fc.property(world, (own) => {
        const { verdict, ...input } = checked(
          own,
          neededBy(own).map((octets) => Math.floor(octets / 2)),
        );
        assert.equal(verdict.verdict, 'not lossless');
        const loss = losingLoad(input, [verdict]);
        assert.ok(loss !== null && lost(loss.text) > 0, JSON.stringify(own));
      }),
      { numRuns: isLong ? 200 : 10 },
    );
  });
});
