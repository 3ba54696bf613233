/**
 * Every way in which two ends of a link may be configured, and every way in which they may receive
 * each other: both ends, LLDPDUs, `paths`, `dcbx --mismatch` and the data path agree, by
 * the rules and not by the code. A fabric has many links, each between two hosts.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ruledBy } from '../../services/engine/discovery/link-end.js';
import type { PortDiscovery } from '../../services/engine/discovery/port-discovery.js';
import type { DeviceSpec } from '../../services/engine/device/engine.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { DiscoveryExchange } from '../../services/fabric/assembly/discovery-exchange.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { discoveryResults } from '../../services/runtime/results/discovery-results.js';
import { pathResults } from '../../services/runtime/results/path-methods.js';
import { fabricOf, run } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

const PRIORITY = 3;
const LONGEST_OCTETS = 1522;
/** Ends of each kind that a run explores, with each other. */
const SIDE = 16;
const SEED = 20;
/** Of a fabric: each of its events looks at all ports. */
const LINKS = 150;
/** In the long suite not every fabric is run, too. */
const RUN_EVERY = isLong ? 8 * LINKS : LINKS;

const UNITS = [64, 2048] as const;
const CODECS = ['ce', 'cbfc', 'both'] as const;
const CETS = ['tlv', 'both', 'application'] as const;
const FALLBACKS = ['refuse', 'pfc', 'none'] as const;
const METHODS = ['credit', 'cbfc', 'pfc', 'none'] as const;
/** Which of both receives LLDPDUs. */
const HEARING = [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
] as const;

/** One end of a link. */
interface End {
  readonly method: (typeof METHODS)[number];
  readonly fallback: (typeof FALLBACKS)[number];
  readonly unit: number;
  readonly codec: (typeof CODECS)[number];
  readonly cet: (typeof CETS)[number];
  /** It could exchange credit, if its link partner has it. */
  readonly isCapable: boolean;
  readonly takesCredit: boolean;
  readonly takesPfc: boolean;
  readonly counts: 'cumulative' | 'incremental';
  readonly channels: 1 | 2;
  readonly tags: boolean;
  /** A version of the CET TLV that nobody knows yet; its known fields are used. */
  readonly isLater: boolean;
}

type Rule = 'credit' | 'cbfc' | 'pfc' | 'none' | 'blocked';

const PLAIN: End = {
  ...{ method: 'credit', fallback: 'pfc', unit: 64, codec: 'ce', cet: 'tlv', isCapable: true },
  ...{ takesCredit: false, takesPfc: false, counts: 'cumulative', channels: 2, tags: true },
  isLater: false,
};

/** Of some numbers every combination. */
function product<Key extends keyof End>(values: {
  readonly [Each in Key]: readonly End[Each][];
}): Pick<End, Key>[] {
  return (Object.keys(values) as Key[]).reduce<Pick<End, Key>[]>(
    (ends, key) => ends.flatMap((end) => values[key].map((value) => ({ ...end, [key]: value }))),
    [{} as Pick<End, Key>],
  );
}

/** What decides which flow control a link has. */
function endsOfMethods(): End[] {
  const [BOTH, NO] = [[false, true], [false]] as const;
  const credit = product({
    ...{ method: ['credit'], fallback: FALLBACKS, unit: UNITS, codec: CODECS, cet: CETS },
    ...{ takesCredit: BOTH, takesPfc: BOTH },
  } as const).filter(
    // Entries of DCBX say priorities alone: the parser refuses what they cannot say.
    ({ cet, unit, codec }) => cet !== 'application' || (unit === 64 && codec === 'ce'),
  );
  const cbfc = product({ method: ['cbfc'], fallback: FALLBACKS, takesPfc: BOTH } as const);
  const capable = product({
    ...{ method: ['pfc', 'none'], unit: UNITS, cet: ['tlv', 'both'] },
    ...{ takesCredit: BOTH, takesPfc: BOTH },
  } as const);
  const others = product({ method: ['pfc', 'none'], isCapable: NO, takesPfc: BOTH } as const);
  return [
    ...[...credit, ...capable, ...others].map((end) => ({ ...PLAIN, ...end })),
    ...cbfc.map((end) => ({ ...PLAIN, ...end, isCapable: false })),
  ];
}

/** What decides how both ends exchange credit. */
function endsOfTerms(): End[] {
  const [BOTH] = [[false, true]] as const;
  const all = product({
    ...{ unit: [64, 128, 1536], counts: ['cumulative', 'incremental'], channels: [1, 2] },
    ...{ tags: BOTH, isLater: BOTH, codec: ['ce', 'both'] },
  } as const);
  return all.map((end) => ({ ...PLAIN, ...end }));
}

type Pair = readonly [End, End];

/** Pairs of all ends: in the long suite all, in each other run some. */
function pairsOf(ends: readonly End[], what: string): Pair[] {
  const stream = new RandomStream(SEED, what);
  const size = isLong ? ends.length : SIDE;
  const shuffled = ends
    .map((end) => ({ end, at: stream.uniform() }))
    .sort((a, b) => a.at - b.at)
    .map(({ end }) => end);
  const [here, there] = [shuffled.slice(0, size), shuffled.slice(-size)];
  return here.flatMap((a) => there.map((b): Pair => [a, b]));
}

// The rules.

const hasChannels = ([a, b]: Pair): boolean =>
  (a.method === 'cbfc' && b.method === 'cbfc') ||
  (a.method === 'credit' && b.method === 'credit' && a.codec !== 'ce' && b.codec !== 'ce');

/** Priorities with credit where both ends do what they can. */
const mayGrant = ([a, b]: Pair): boolean => a.isCapable && b.isCapable;

/** Two ends that could come to nothing in common are refused before any frame is sent. */
function isRefused(pair: Pair): boolean {
  if (hasChannels(pair)) return false;
  const [a, b] = pair;
  if (a.method === 'credit' && b.method === 'credit') return a.fallback !== b.fallback;
  return pair.some(({ method, fallback }) => method === 'cbfc' && fallback === 'refuse');
}

/** What an end says of PFC: what it has, and may fall back to. */
const saysPfc = ({ method, fallback }: End): boolean =>
  method === 'pfc' || (method !== 'none' && fallback === 'pfc');

/** Of two ends the one that leads (802.1Q 38.4.2); the second has the greater address. */
function follows(pair: Pair, at: number, willing: (end: End) => boolean): boolean {
  const peerIsWilling = willing(pair[1 - at]!);
  return willing(pair[at]!) && !(peerIsWilling && at === 1);
}

function hasPfc(pair: Pair, hearing: readonly boolean[], at: number): boolean {
  const [own, peer] = [saysPfc(pair[at]!), saysPfc(pair[1 - at]!)];
  if (hearing[at] !== true) return own;
  const takesPfc = (end: End): boolean => end.takesPfc;
  if (follows(pair, at, takesPfc)) return peer;
  return follows(pair, 1 - at, takesPfc) ? own : own && peer;
}

function hasCredit(pair: Pair, hearing: readonly boolean[]): boolean {
  const [a, b] = pair;
  if (hasChannels(pair) || !mayGrant(pair) || hearing.includes(false)) return false;
  const most = (end: End): number =>
    end.cet === 'application' ? 64 : Math.max(LONGEST_OCTETS, end.unit);
  if (Math.max(a.unit, b.unit) > Math.min(most(a), most(b))) return false;
  if (pair.some(({ method, codec }) => method === 'credit' && codec === 'cbfc')) return false;
  // A device that has entries alone does not say that it is willing.
  const takesCredit = (end: End): boolean => end.takesCredit && end.cet !== 'application';
  return pair.every((end, at) => {
    const isOn = end.method === 'credit';
    const isPeerOn = pair[1 - at]!.method === 'credit';
    if (follows(pair, at, takesCredit)) return isPeerOn;
    return isOn && (isPeerOn || takesCredit(pair[1 - at]!));
  });
}

function ruleOf(pair: Pair, hearing: readonly boolean[], from: number): Rule {
  if (hasChannels(pair)) return hearing[from] === true ? 'cbfc' : 'blocked';
  if (hasCredit(pair, hearing)) return 'credit';
  const { method, fallback } = pair[from]!;
  if (method === 'credit' && fallback === 'refuse') return 'blocked';
  return hasPfc(pair, hearing, 0) && hasPfc(pair, hearing, 1) ? 'pfc' : 'none';
}

// The code.

function deviceOf(name: string, end: End): string {
  const own = end.method === 'credit' || end.method === 'cbfc';
  const priority = `{ flowControl: ${end.method}${own ? `, fallback: ${end.fallback}` : ''} }`;
  const willing = [...(end.takesCredit ? ['credit'] : []), ...(end.takesPfc ? ['pfc'] : [])];
  const isCapable = end.isCapable && end.method !== 'credit';
  return `
  ${name}:
    credit: { unit: ${end.unit}B, codec: ${end.codec}, cet: ${end.cet}, counts: ${end.counts}, maxChannels: ${end.channels} }
    priorities: { ${PRIORITY}: ${priority} }
    discovery: { creditCapable: [${isCapable ? PRIORITY : ''}], willing: [${willing.join(', ')}] }`;
}

/** Two hosts for each pair, and a link between them. */
function fabricOfPairs(pairs: readonly Pair[]): Fabric {
  const ends = pairs.flatMap((pair, n) => pair.map((end, at) => ({ end, name: `h${n}-${at}` })));
  const links = pairs.map((_, n) => `{ between: [h${n}-0, h${n}-1] }`);
  const sides = (at: number): string => pairs.map((_, n) => `h${n}-${at}`).join(', ');
  return fabricOf(`
duration: 40us
fabric:
  devices: [${ends.map(({ name }) => `{ name: ${name}, kind: host }`).join(', ')}]
  links: [${links.join(', ')}]
credit: { tags: true, channels: [ { channel: 0 }, { channel: 1, vlans: [ 5 ] } ] }
discovery: { second: 100ns }
devices: ${ends.map(({ end, name }) => deviceOf(name, end)).join('')}
load:
  - stream: { from: [${sides(0)}, ${sides(1)}], to: [${sides(1)}, ${sides(0)}] }
    priority: ${PRIORITY}
    frame: 1518
    start: 10us
`);
}

/** The same with ends that do not receive, and TLVs of a later version, or without tags. */
function altered(fabric: Fabric, pairs: readonly Pair[], hearing: readonly boolean[]): Fabric {
  const specs = fabric.specs.map((spec, device): DeviceSpec => {
    const at = device % 2;
    const { isLater, tags } = pairs[(device - at) / 2]![at]!;
    const ports = spec.ports.map((port) => {
      const stages = port.discovery!.stages.map((stage) => {
        const { exchange } = stage.admin;
        const said = exchange && { ...exchange, ceTag: exchange.ceTag && tags };
        const later = said !== null && isLater ? { ...said, version: 4 } : said;
        const status = hearing[at] === true ? ('both' as const) : ('send' as const);
        return { ...stage, admin: { ...stage.admin, status, exchange: later } };
      });
      return { ...port, discovery: { ...port.discovery!, stages } };
    });
    return { ...spec, ports };
  });
  return { ...fabric, specs };
}

/** What a link came to. */
interface Link {
  readonly states: readonly [PortDiscovery, PortDiscovery];
  readonly methods: readonly string[];
  readonly mismatches: readonly (readonly string[])[];
}

function settled(fabric: Fabric): Link[] {
  const exchange = new DiscoveryExchange(fabric.specs, fabric.linkEnds);
  exchange.settle();
  const { mechanism } = exchange;
  const numberOf = (device: number, port: number): number => exchange.numberOf(device, port);
  const discovered = { fabric, mechanism, numberOf };
  const { ports } = discoveryResults(fabric, mechanism, numberOf)!;
  return fabric.topology.links.map(({ a, b }): Link => {
    const numbers = [a, b].map(({ device, port }) => numberOf(device, port)) as [number, number];
    const methodFrom = (from: number, to: number): string =>
      pathResults(discovered, from, to, [PRIORITY])[0]!.hops[0]!.method;
    return {
      states: numbers.map((number) => mechanism.ports[number]!) as unknown as Link['states'],
      methods: [methodFrom(a.device, b.device), methodFrom(b.device, a.device)],
      mismatches: numbers.map((number) => ports[number]!.mismatches),
    };
  });
}

function checkLink(pair: Pair, hearing: readonly boolean[], link: Link): void {
  const { states, methods, mismatches } = link;
  const where = (): string => JSON.stringify({ pair, hearing, methods, mismatches });
  const bit = 1 << PRIORITY;
  const rules = [ruleOf(pair, hearing, 0), ruleOf(pair, hearing, 1)];
  assert.deepEqual(methods, rules, where());
  const grants = states.map((state) => ruledBy(state, 'grants') & bit);
  assert.equal(grants[0], grants[1], `both ends agree on the same: ${where()}`);
  assert.equal(grants[0] !== 0, rules[0] === 'credit', where());
  states.forEach((state, at) => {
    const said = state.agents[0]!.rx.neighbors[0]?.remote.grants ?? null;
    const { agreed } = states[1 - at]!.agreement;
    if (said !== null) assert.equal(said.agreed & bit, agreed & bit, `what it says: ${where()}`);
    const isWithheld = state.starts[PRIORITY] === 'withheld';
    assert.equal(isWithheld, rules[at] === 'blocked', `what waits is what paths says: ${where()}`);
    const says = mismatches[at]!.some((what) => what.startsWith('credit'));
    if (isWithheld) assert.ok(says, `what waits is a mismatch: ${where()}`);
    const works = rules[at] === 'credit' || rules[at] === 'cbfc';
    if (works) assert.ok(!says, `what works is none: ${where()}`);
  });
  if (rules[0] !== 'credit') return;
  const [here, there] = states.map(({ agreement }) => agreement) as unknown as readonly [
    PortDiscovery['agreement'],
    PortDiscovery['agreement'],
  ];
  for (const key of ['mode', 'channels', 'tags'] as const) {
    assert.equal(here[key], there[key], `${key}: ${where()}`);
  }
  assert.equal(here.grantedUnitOctets, there.askedUnitOctets, where());
  assert.equal(there.grantedUnitOctets, here.askedUnitOctets, where());
  const isLiteral = pair.some(({ cet }) => cet === 'application');
  const hasTotals = pair.every(({ counts }) => counts === 'cumulative') && !isLiteral;
  assert.equal(here.mode, hasTotals ? 'cumulative' : 'incremental', where());
  const channels = pair.every((end) => end.channels > 1) && !isLiteral ? 2 : 0;
  assert.equal(here.channels, channels, where());
  assert.equal(here.tags, pair.every((end) => end.tags) && !isLiteral, where());
}

/** What frames do: none waits for what its link partner does not send. */
function checkFrames(pairs: readonly Pair[], hearing: readonly boolean[], fabric: Fabric): void {
  const { failure, flows } = run(fabric);
  assert.equal(failure, null);
  flows.forEach(({ frames }, flow) => {
    const [at, pair] = [Math.floor(flow / pairs.length), pairs[flow % pairs.length]!];
    const isBlocked = ruleOf(pair, hearing, at) === 'blocked';
    const where = JSON.stringify({ pair, hearing, at });
    assert.ok(isBlocked ? frames === 0 : frames > 50, `${frames} frames: ${where}`);
  });
}

/** In fabrics of a size in which each event is cheap. */
function explore(pairs: readonly Pair[]): number {
  const allowed = pairs.filter((pair) => !isRefused(pair));
  const size = LINKS;
  for (let from = 0; from < allowed.length; from += size) {
    const some = allowed.slice(from, from + size);
    const fabric = fabricOfPairs(some);
    for (const hearing of HEARING) {
      const heard = altered(fabric, some, hearing);
      settled(heard).forEach((link, n) => {
        checkLink(some[n]!, hearing, link);
      });
      if (from % RUN_EVERY === 0) checkFrames(some, hearing, heard);
    }
  }
  return allowed.length;
}

describe('the ends of a link', () => {
  const pairs = pairsOf(endsOfMethods(), 'methods');

  it('come to one method, whatever both are configured for and whoever receives', () => {
    assert.ok(explore(pairs) > pairs.length / 2);
  });

  it('are refused where they could come to nothing in common', () => {
    const refused = pairs.filter(isRefused);
    const every = isLong ? 17 : 5;
    const some = refused.filter((_, n) => n % every === 0);
    assert.ok(some.length > 5, `${some.length}`);
    for (const pair of some) {
      const where = JSON.stringify(pair);
      assert.throws(() => fabricOfPairs([pair]), /falls back to|make them alike/, where);
    }
  });

  it('exchange credit on the same terms, by every version of the TLV', () => {
    assert.ok(explore(pairsOf(endsOfTerms(), 'terms')) > 0);
  });
});
