/**
 * Two ends of a link negotiate: whatever they are configured for, and whichever of them receives
 * the other, both ends, `paths`, `dcbx --mismatch` and the data path come to the same.
 */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DeviceSpec } from '../../services/engine/device/engine.js';
import { DiscoveryExchange } from '../../services/fabric/assembly/discovery-exchange.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { discoveryResults } from '../../services/runtime/results/discovery-results.js';
import { pathResults } from '../../services/runtime/results/path-methods.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { returnMemory } from '../../services/hunt/return-memory.js';
import { fabricOf, run } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const PRIORITY = 3;
const LONGEST_OCTETS = 1522;
const DURATION_US = 40;
/** Of so many worlds one is run, too. */
const RUN_EVERY = 13;

const UNITS = [64, 2048];
const CODECS = ['ce', 'cbfc', 'both'] as const;
const CETS = ['tlv', 'both', 'application'] as const;
const FALLBACKS = ['refuse', 'pfc', 'none'] as const;
/** The slide's own unit, and others that entries of DCBX cannot say. */
const MORE_UNITS = [64, 64, 128, 1536, 2048, 2548];
const CHAINS = isLong ? 2000 : 60;
/** Which of both receives LLDPDUs. */
const HEARING = [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
] as const;

/** One end of the link. */
interface End {
  readonly unit: number;
  readonly codec: (typeof CODECS)[number];
  readonly cet: (typeof CETS)[number];
  readonly channels: 1 | 2;
  /** Configured for credit; otherwise it could have it, and takes over what its peer has. */
  readonly isOn: boolean;
}

interface World {
  readonly ends: readonly [End, End];
  readonly fallback: (typeof FALLBACKS)[number];
}

type Method = 'credit' | 'cbfc' | 'pfc' | 'none' | 'blocked';

function* ends(): Generator<End> {
  for (const unit of UNITS)
    for (const codec of CODECS)
      for (const cet of CETS)
        for (const isOn of [true, false]) {
          const channels =
            unit === 64 && codec === 'ce' && isOn ? ([1, 2] as const) : ([2] as const);
          for (const most of channels) {
            // Entries of DCBX say priorities alone: the parser refuses what they cannot say.
            const fits = cet !== 'application' || (unit === 64 && codec === 'ce' && isOn);
            // Priorities whose messages are negotiated cannot be taken over.
            if (fits && (isOn || codec === 'ce')) yield { unit, codec, cet, channels: most, isOn };
          }
        }
}

function* worlds(): Generator<World> {
  for (const a of ends())
    for (const b of ends()) {
      if (!a.isOn && !b.isOn) continue;
      for (const fallback of FALLBACKS) yield { ends: [a, b], fallback };
    }
}

function textOf({ ends: [a, b], fallback }: World): string {
  const device = ({ unit, codec, cet, channels, isOn }: End): string => `
    credit: { unit: ${unit}B, codec: ${codec}, cet: ${cet}, maxChannels: ${channels} }
    priorities: { ${PRIORITY}: ${isOn ? 'credit' : fallback === 'pfc' ? 'pfc' : 'none'} }
    discovery: { creditCapable: [${isOn ? '' : PRIORITY}], willing: [${isOn ? '' : 'credit'}] }`;
  return `
duration: ${DURATION_US}us
fabric: { generator: pair }
credit: { fallback: ${fallback}, channels: [ { channel: 0 }, { channel: 1, vlans: [ 5 ] } ] }
discovery: { second: 100ns }
devices:
  h1: ${device(a)}
  h2: ${device(b)}
load:
  - { stream: { from: [ h1, h2 ], to: [ h2, h1 ] }, priority: ${PRIORITY}, frame: 1518, start: 10us }
`;
}

/** What a direction comes to: by the rules, not by the code. */
function expected(
  { ends: [a, b], fallback }: World,
  hearing: readonly boolean[],
  from: 0 | 1,
): Method {
  const own = [a, b][from]!;
  if (a.isOn && b.isOn && a.codec !== 'ce' && b.codec !== 'ce') {
    return hearing[from] === true ? 'cbfc' : 'blocked';
  }
  const most = (end: End): number =>
    end.cet === 'application' ? 64 : Math.max(LONGEST_OCTETS, end.unit);
  const fits = Math.max(a.unit, b.unit) <= Math.min(most(a), most(b));
  // A device that has entries alone does not say that it is willing, and reads no wish of another.
  const isHeard = hearing[0] === true && hearing[1] === true;
  if (a.codec !== 'cbfc' && b.codec !== 'cbfc' && fits && isHeard) return 'credit';
  if (fallback === 'refuse') return own.isOn ? 'blocked' : 'none';
  return fallback;
}

/** An end that does not receive has adminStatus enabledTxOnly. */
function deafened(fabric: Fabric, hearing: readonly boolean[]): Fabric {
  const specs = fabric.specs.map((spec, device): DeviceSpec => {
    if (hearing[device] === true) return spec;
    const ports = spec.ports.map((port) => {
      const stages = port.discovery!.stages.map((stage) => {
        return { ...stage, admin: { ...stage.admin, status: 'send' as const } };
      });
      return { ...port, discovery: { ...port.discovery!, stages } };
    });
    return { ...spec, ports };
  });
  return { ...fabric, specs };
}

/** What both ends say once LLDP has settled, and what `paths` and `dcbx` make of it. */
function settled(fabric: Fabric): {
  readonly methods: readonly Method[];
  readonly agreed: readonly boolean[];
  readonly mismatch: readonly boolean[];
} {
  const exchange = new DiscoveryExchange(fabric.specs, fabric.linkEnds);
  exchange.settle();
  const { mechanism } = exchange;
  const numberOf = (device: number, port: number): number => exchange.numberOf(device, port);
  const pathFrom = (from: number): Method =>
    pathResults({ fabric, mechanism, numberOf }, from, 1 - from, [PRIORITY])[0]!.hops[0]!
      .method as Method;
  const { ports } = discoveryResults(fabric, mechanism, numberOf)!;
  return {
    methods: [pathFrom(0), pathFrom(1)],
    agreed: ports.map(({ credit }) => (credit.priorities & (1 << PRIORITY)) !== 0),
    mismatch: ports.map(({ mismatches }) => mismatches.some((what) => what.startsWith('credit'))),
  };
}

it('comes to one method, by every configuration and everything that is received', () => {
  let built = 0;
  for (const world of worlds()) {
    const fabric = fabricOf(textOf(world));
    for (const hearing of HEARING) {
      const where = JSON.stringify({ world, hearing });
      const { methods, agreed, mismatch } = settled(deafened(fabric, hearing));
      assert.deepEqual(methods, [expected(world, hearing, 0), expected(world, hearing, 1)], where);
      assert.equal(agreed[0], agreed[1], `both ends agree on the same: ${where}`);
      assert.equal(agreed[0], methods[0] === 'credit', where);
      // What is wanted and does not come about is said by the end that wants it.
      world.ends.forEach(({ isOn }, end) => {
        const works = agreed[end] === true || methods[end] === 'cbfc';
        if (isOn || works) assert.equal(mismatch[end], !works, `mismatch at end ${end}: ${where}`);
      });
    }
    built++;
  }
  assert.ok(built > 1000, `${built}`);
});

it('is what frames do: none waits for what its link partner does not send', () => {
  let count = 0;
  for (const world of worlds()) {
    for (const hearing of HEARING) {
      if (count++ % RUN_EVERY !== 0) continue;
      const results = run(deafened(fabricOf(textOf(world)), hearing));
      const where = JSON.stringify({ world, hearing });
      assert.ok(results.failure === null, `${JSON.stringify(results.failure)}: ${where}`);
      results.flows.forEach(({ frames }, from) => {
        const isBlocked = expected(world, hearing, from as 0 | 1) === 'blocked';
        assert.ok(isBlocked ? frames === 0 : frames > 50, `${frames} frames of ${from}: ${where}`);
      });
    }
  }
});

interface Device extends End {
  readonly hears: boolean;
  readonly counts: 'cumulative' | 'incremental';
  readonly willing: readonly string[];
}

/** Devices in a row, of which each is configured at random. */
interface Chain {
  readonly devices: readonly Device[];
  readonly fallback: (typeof FALLBACKS)[number];
  /** A device with another fallback; -1: none. */
  readonly odd: number;
}

const NAMES = ['h1', 's1', 's2', 'h2'] as const;

function chainOf(number: number): Chain {
  const stream = new RandomStream(7, `chain ${number}`);
  const below = (count: number): number => Math.floor(stream.uniform() * count);
  const pick = <One>(from: readonly One[]): One => from[below(from.length)]!;
  const devices = NAMES.map((): Device => {
    const isOn = below(4) > 0;
    const cet = pick(['tlv', 'both', 'application', 'tlv'] as const);
    const isLiteral = cet === 'application' && isOn;
    const unit = isLiteral ? 64 : pick(MORE_UNITS);
    const codec = isLiteral || !isOn ? 'ce' : pick(['ce', 'ce', 'both', 'cbfc'] as const);
    const channels = pick([1, 2] as const);
    return {
      ...{ unit, codec, isOn, channels, hears: below(12) > 0 },
      counts: pick(['cumulative', 'incremental'] as const),
      willing: [...(isOn ? [] : ['credit']), ...(below(3) === 0 ? ['pfc'] : [])],
      cet: cet === 'application' && !isOn ? 'tlv' : cet,
    };
  });
  return { devices, fallback: pick(FALLBACKS), odd: below(10) === 0 ? below(4) : -1 };
}

function fallbackAt({ fallback, odd }: Chain, device: number): World['fallback'] {
  const other = FALLBACKS[(FALLBACKS.indexOf(fallback) + 1) % FALLBACKS.length]!;
  return device === odd ? other : fallback;
}

function textOfChain(chain: Chain): string {
  const { devices, fallback } = chain;
  const texts = devices.map((own, i) => {
    const method = own.isOn ? 'credit' : fallback === 'pfc' ? 'pfc' : 'none';
    return `
  ${NAMES[i]!}:
    credit: { unit: ${own.unit}B, codec: ${own.codec}, cet: ${own.cet}, maxChannels: ${own.channels}, counts: ${own.counts} }
    priorities: { ${PRIORITY}: { flowControl: ${method}, fallback: ${fallbackAt(chain, i)} } }
    discovery:
      creditCapable: [${own.isOn ? '' : PRIORITY}]
      willing: [${own.willing.join(', ')}]
      status: ${own.hears ? 'both' : 'send'}`;
  });
  return `
duration: ${DURATION_US}us
fabric:
  devices: [${NAMES.map((name) => `{ name: ${name}, kind: ${name.startsWith('h') ? 'host' : 'switch'} }`).join(', ')}]
  links: [{ between: [h1, s1] }, { between: [s1, s2] }, { between: [s2, h2] }]
credit: { channels: [ { channel: 0 }, { channel: 1, vlans: [ 5 ] } ] }
discovery: { second: 100ns }
devices: ${texts.join('')}
load:
  - { stream: { from: [ h1, h2 ], to: [ h2, h1 ] }, priority: ${PRIORITY}, frame: 1518, start: 10us }
`;
}

/** Every link of a chain that is loaded has one method, and every frame is sent by it. */
function checkChain(chain: Chain): 'ran' | 'blocked' | 'refused' {
  const where = JSON.stringify(chain);
  let fabric: Fabric;
  try {
    fabric = fabricOf(textOfChain(chain));
  } catch (error) {
    // Two ends that could come to nothing in common are refused before any frame is sent.
    assert.match(String(error), /falls back to|not at the other end|make them alike/, where);
    assert.ok(chain.odd >= 0, `${String(error)}: ${where}`);
    return 'refused';
  }
  const { devices, fallback } = chain;
  const results = run(fabric);
  assert.ok(results.failure === null, `${JSON.stringify(results.failure)}: ${where}`);
  const isBlocked = [0, 1].map((from) =>
    [0, 1, 2].some((link) => {
      const pair = [devices[link]!, devices[link + 1]!] as const;
      // Of the end that has credit; where both have, it is the same.
      const own = fallbackAt(chain, pair[0].isOn ? link : link + 1);
      const world: World = { ends: pair, fallback: own };
      return expected(world, [pair[0].hears, pair[1].hears], from as 0 | 1) === 'blocked';
    }),
  );
  results.flows.forEach(({ frames }, from) => {
    const stands = isBlocked[from] === true;
    assert.ok(stands ? frames === 0 : frames > 50, `${frames} frames of ${from}: ${where}`);
    if (!stands || chain.odd >= 0) return;
    assert.ok(results.discovery!.blocked.length > 0, `the blocked link is named: ${where}`);
    assert.equal(fallback === 'refuse' || devices.some(({ hears }) => !hears), true, where);
  });
  return isBlocked.includes(true) ? 'blocked' : 'ran';
}

it('leaves no lossless priority at a standstill, in chains of devices that differ', () => {
  const counts = { ran: 0, blocked: 0, refused: 0 };
  for (let number = 0; number < CHAINS; number++) {
    counts[checkChain(chainOf(number))]++;
    returnMemory();
  }
  assert.ok(counts.ran > CHAINS / 3 && counts.blocked > 0, JSON.stringify(counts));
});
