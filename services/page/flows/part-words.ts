import type { PartName, PartView } from '../../report/page/page-flow-data.js';
import { isPause, mechanismName } from '../../report/blocked-text.js';

/** What a frame's time goes into, in the order of a legend. */
export const PARTS: readonly { readonly kinds: readonly PartName[]; readonly name: string }[] = [
  { kinds: ['source', 'wait'], name: 'queueing' },
  { kinds: ['blocked'], name: 'paused or blocked' },
  { kinds: ['complete', 'serialise'], name: 'serialisation' },
  { kinds: ['propagate'], name: 'propagation' },
  { kinds: ['process'], name: 'pipeline' },
  { kinds: ['receive'], name: 'receiver' },
];

const WORDS: Readonly<Record<PartName, string>> = {
  source: 'queueing at the source',
  wait: 'queueing',
  blocked: 'paused',
  complete: 'reception of its last bit',
  serialise: 'serialisation',
  propagate: 'propagation',
  process: 'pipeline',
  receive: 'receiver',
};

/** The class that gives a part its colour. */
export function classOf(kind: PartName): string {
  return `part${PARTS.findIndex(({ kinds }) => kinds.includes(kind))}`;
}

export function partText({ kind, hold }: PartView): string {
  if (hold === undefined) return WORDS[kind];
  const { mechanism, peer } = hold;
  return `${isPause(mechanism) ? 'paused' : 'blocked'} by ${peer} (${mechanismName(mechanism)})`;
}
