import { ANY, type MatchingSpec, RECEIVE } from '../engine/contract/operations.js';
import { type JobGraph, listsOf, rankOf } from './graph.js';

/** A source and a tag as one number; either may be any. */
function keyOf(source: number, tag: number): number {
  return (source + 1) * 2 ** 32 + (tag >>> 0);
}

/** Numbers for what is asked for by receiver, source and tag. */
class Places {
  count = 0;
  private readonly byRank = new Map<number, Map<number, number>>();

  placeOf(rank: number, key: number): number {
    let own = this.byRank.get(rank);
    if (own === undefined) this.byRank.set(rank, (own = new Map<number, number>()));
    let place = own.get(key);
    if (place === undefined) own.set(key, (place = this.count++));
    return place;
  }

  find(rank: number, key: number): number | null {
    return this.byRank.get(rank)?.get(key) ?? null;
  }
}

/**
 * Which receives of `operations` may take which of `messages`, the sends to their ranks: both are
 * operations of the job, and have their places in these lists as numbers.
 */
export function matchingOf(
  graph: JobGraph,
  operations: ArrayLike<number>,
  messages: ArrayLike<number>,
): MatchingSpec {
  const { kind, peer, tag } = graph;
  const [patterns, channels] = [new Places(), new Places()];
  const patternOf = new Int32Array(operations.length).fill(-1);
  for (let i = 0; i < operations.length; i++) {
    const operation = operations[i]!;
    if (kind[operation] !== RECEIVE) continue;
    const key = keyOf(peer[operation]!, tag[operation]!);
    patternOf[i] = patterns.placeOf(rankOf(graph, operation), key);
  }
  const channelOf = new Int32Array(messages.length);
  const [pairedChannels, pairedPatterns]: [number[], number[]] = [[], []];
  for (let i = 0; i < messages.length; i++) {
    const send = messages[i]!;
    const [from, to] = [rankOf(graph, send), peer[send]!];
    const before = channels.count;
    channelOf[i] = channels.placeOf(to, keyOf(from, tag[send]!));
    if (channels.count === before) continue;
    for (const source of [from, ANY]) {
      for (const what of [tag[send]!, ANY]) {
        const pattern = patterns.find(to, keyOf(source, what));
        if (pattern === null) continue;
        pairedChannels.push(channelOf[i]!);
        pairedPatterns.push(pattern);
      }
    }
  }
  return {
    patterns: patterns.count,
    patternOf,
    channelOf,
    patternsOfChannel: listsOf(channels.count, pairedChannels, pairedPatterns),
    channelsOfPattern: listsOf(patterns.count, pairedPatterns, pairedChannels),
  };
}
