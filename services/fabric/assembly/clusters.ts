/**
 * Devices that are executed together, because links among them are shorter than links to others: a
 * rack, a pod, the fabric. Nothing from outside takes effect in a cluster before the time up to
 * which it is executed, so only its own links limit how far a member may go at once. They are found
 * from the lookaheads of links alone. It would break if two members of one side had a link, or if a
 * lookahead counted more than the least time to an effect at the link partner.
 */

/** Some members of a cluster: single devices, and clusters of shorter links. */
interface Side {
  readonly devices: readonly number[];
  readonly clusters: readonly Cluster[];
}

/**
 * Members in two sides with links only from one to the other, which take turns; where there is a
 * circle of odd length, all are on the near side.
 */
export interface Cluster {
  readonly near: Side;
  readonly far: Side;
  /** The least lookahead from the near side to the far side, and back. */
  readonly therePs: number;
  readonly backPs: number;
  /** From an event on a side to what it causes there by way of the link partners. */
  readonly aroundPs: number;
}

/** One direction of a link, and its lookahead. */
export interface Hop {
  readonly from: number;
  readonly to: number;
  readonly lookaheadPs: number;
}

type Member = number | Cluster;

/** Links between two members: the least lookahead from `a` to `b`, and back. */
interface Span {
  readonly a: number;
  readonly b: number;
  therePs: number;
  backPs: number;
}

/** Links that are less than so many times as long as the shortest are of one cluster. */
const ALIKE = 2;

/** So many devices, with a hop for each direction of each link; `pairs` are never apart. */
export function clustersOf(
  devices: number,
  hops: readonly Hop[],
  pairs: readonly (readonly [number, number])[] = [],
): Cluster {
  let members: readonly Member[] = Array.from({ length: devices }, (_, device) => device);
  let spans = spansOf(
    devices,
    hops.map(({ from, to, lookaheadPs }) => {
      return { a: from, b: to, therePs: lookaheadPs, backPs: Infinity };
    }),
  );
  const together = pairs.map(([a, b]) => ({ a, b, therePs: Infinity, backPs: Infinity }));
  if (pairs.length > 0) [members, spans] = joined(members, spans, together);
  while (members.length > 1) {
    const shortestPs = spans.reduce((least, span) => Math.min(least, roundPs(span)), Infinity);
    const short = spans.filter((span) => roundPs(span) < ALIKE * shortestPs);
    // Islands without a link between them are members of one fabric.
    const chain = members
      .slice(1)
      .map((_, i) => ({ a: i, b: i + 1, therePs: Infinity, backPs: 0 }));
    [members, spans] = joined(members, spans, short.length > 0 ? short : chain);
  }
  const [whole] = members;
  return typeof whole === 'object' ? whole : clusterOf(members, []);
}

export function devicesOf({ near, far }: Cluster): number[] {
  return [near, far].flatMap(({ devices, clusters }) => [
    ...devices,
    ...clusters.flatMap(devicesOf),
  ]);
}

/**
 * The devices of each member of a cluster; then those of its members' members, until all but pairs
 * are alone: from long links to short ones. Members are in the order of their first devices.
 */
export function* levelsOf(whole: Cluster): Generator<readonly (readonly number[])[]> {
  let members = membersOf(whole);
  for (;;) {
    yield members
      .map((member) => (typeof member === 'number' ? [member] : devicesOf(member)))
      .map((devices) => devices.sort((a, b) => a - b))
      .sort(([a], [b]) => a! - b!);
    const longestPs = members.reduce<number>((l, member) => Math.max(l, insidePs(member)), 0);
    if (longestPs === 0) return;
    members = members.flatMap((member) =>
      insidePs(member) * ALIKE > longestPs ? membersOf(member as Cluster) : [member],
    );
  }
}

function membersOf({ near, far }: Cluster): Member[] {
  return [near, far].flatMap(({ devices, clusters }) => [...devices, ...clusters]);
}

/** Of its links; 0 where there are none that may be cut. */
function insidePs(member: Member): number {
  if (typeof member === 'number' || member.aroundPs === Infinity) return 0;
  return member.aroundPs;
}

function roundPs({ therePs, backPs }: Span): number {
  return therePs + backPs;
}

/** Members that these spans join become clusters; the rest stay as they are. */
function joined(
  members: readonly Member[],
  spans: readonly Span[],
  by: readonly Span[],
): [readonly Member[], Span[]] {
  const leaderOf = Int32Array.from(members, (_, member) => member);
  const leader = (member: number): number => {
    while (leaderOf[member] !== member) {
      leaderOf[member] = leaderOf[leaderOf[member]!]!;
      member = leaderOf[member]!;
    }
    return member;
  };
  for (const { a, b } of by) {
    const [first, second] = [leader(a), leader(b)];
    leaderOf[Math.max(first, second)] = Math.min(first, second);
  }
  // Leaders are the first of their groups, so that order is kept.
  const groupOf = new Int32Array(members.length);
  const groups: number[][] = [];
  members.forEach((_, member) => {
    const first = leader(member);
    if (first === member) groupOf[member] = groups.push([]) - 1;
    groupOf[member] = groupOf[first]!;
    groups[groupOf[member]]!.push(member);
  });
  const inside: Span[][] = groups.map(() => []);
  const between: Span[] = [];
  for (const span of spans) {
    const [a, b] = [groupOf[span.a]!, groupOf[span.b]!];
    if (a === b) inside[a]!.push(span);
    else between.push({ ...span, a, b });
  }
  const made = groups.map((own, group): Member => {
    if (own.length === 1) return members[own[0]!]!;
    const placeOf = new Map(own.map((member, place) => [member, place]));
    const links = inside[group]!.map((span) => {
      return { ...span, a: placeOf.get(span.a)!, b: placeOf.get(span.b)! };
    });
    return clusterOf(
      own.map((member) => members[member]!),
      links,
    );
  });
  return [made, spansOf(made.length, between)];
}

/** One span for each two members, with the least of all links between them. */
function spansOf(members: number, links: readonly Span[]): Span[] {
  const byEnds = new Map<number, Span>();
  for (const { a, b, therePs, backPs } of links) {
    const isInOrder = a < b;
    const key = isInOrder ? a * members + b : b * members + a;
    const [there, back] = isInOrder ? [therePs, backPs] : [backPs, therePs];
    const span = byEnds.get(key);
    if (span === undefined) {
      const [first, second] = isInOrder ? [a, b] : [b, a];
      byEnds.set(key, { a: first, b: second, therePs: there, backPs: back });
    } else {
      span.therePs = Math.min(span.therePs, there);
      span.backPs = Math.min(span.backPs, back);
    }
  }
  return [...byEnds.values()];
}

function clusterOf(members: readonly Member[], spans: readonly Span[]): Cluster {
  const isFar = sidesOf(members.length, spans);
  if (isFar === null) {
    const leastPs = spans.reduce(
      (l, { therePs, backPs }) => Math.min(l, therePs, backPs),
      Infinity,
    );
    const [near, far] = [sideOf(members), sideOf([])];
    return { near, far, therePs: leastPs, backPs: leastPs, aroundPs: leastPs };
  }
  let [therePs, backPs] = [Infinity, Infinity];
  for (const { a, therePs: there, backPs: back } of spans) {
    therePs = Math.min(therePs, isFar[a] === 0 ? there : back);
    backPs = Math.min(backPs, isFar[a] === 0 ? back : there);
  }
  const near = sideOf(members.filter((_, member) => isFar[member] === 0));
  const far = sideOf(members.filter((_, member) => isFar[member] === 1));
  return { near, far, therePs, backPs, aroundPs: therePs + backPs };
}

/** By member: 1 on the far side; null if links form a circle of odd length. */
function sidesOf(members: number, spans: readonly Span[]): Int8Array | null {
  const partners: number[][] = Array.from({ length: members }, () => []);
  for (const { a, b } of spans) {
    partners[a]!.push(b);
    partners[b]!.push(a);
  }
  const isFar = new Int8Array(members).fill(-1);
  for (let first = 0; first < members; first++) {
    if (isFar[first] !== -1) continue;
    isFar[first] = 0;
    const reached = [first];
    for (const member of reached) {
      for (const partner of partners[member]!) {
        if (isFar[partner] === isFar[member]) return null;
        if (isFar[partner] !== -1) continue;
        isFar[partner] = 1 - isFar[member]!;
        reached.push(partner);
      }
    }
  }
  return isFar;
}

function sideOf(members: readonly Member[]): Side {
  return {
    devices: members.filter((member) => typeof member === 'number'),
    clusters: members.filter((member) => typeof member === 'object'),
  };
}
