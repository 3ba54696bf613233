import { blockedText, isPause } from '../../report/blocked-text.js';
import { formatTime } from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import type { EpisodeView, EpisodesView } from '../../report/page/page-flow-data.js';

export function whatText({ kind, mechanism }: Pick<EpisodeView, 'kind' | 'mechanism'>): string {
  if (kind === 'queue') return 'queue';
  if (kind === 'full') return 'buffer full';
  return blockedText(mechanism);
}

export function placeText({ port, priority }: Pick<EpisodeView, 'port' | 'priority'>): string {
  return priority === null ? port : `${port} priority ${priority}`;
}

export function episodeName(episode: EpisodeView): string {
  return `${placeText(episode)}, ${whatText(episode)}`;
}

export function lastedText({ startPs, endPs }: EpisodeView): string {
  return endPs === null ? 'not cleared' : `for ${formatTime(endPs - startPs)}`;
}

/** An episode, what caused it, and so on to the root. */
export function causesOf({ rows }: EpisodesView, place: number): number[] {
  const chain: number[] = [];
  for (let at: number | null = place; at !== null && chain.length < rows.length;) {
    chain.push(at);
    at = rows[at]!.parent;
  }
  return chain;
}

/** What an episode caused at one port and priority, of one kind. */
export interface Caused {
  readonly name: string;
  readonly times: number;
  /** The episode that lasted longest. */
  readonly longest: number;
}

/** Episodes that one caused itself, by port, in the order of the first of each. */
export function causedBy({ rows }: EpisodesView, place: number, virtualPs: number): Caused[] {
  const lasted = (one: number): number => (rows[one]!.endPs ?? virtualPs) - rows[one]!.startPs;
  const found = new Map<string, Caused>();
  rows.forEach((episode, one) => {
    if (episode.parent !== place) return;
    const name = episodeName(episode);
    const { times, longest } = found.get(name) ?? { times: 0, longest: one };
    const isLonger = lasted(one) > lasted(longest);
    found.set(name, { name, times: times + 1, longest: isLonger ? one : longest });
  });
  return [...found.values()];
}

/** Ports of an episode and of all that caused it. */
export function portsOfCauses({ episodes, ports }: RunPage, place: number): Set<number> {
  if (episodes?.rows[place] === undefined) return new Set();
  const names = new Set(causesOf(episodes, place).map((one) => episodes.rows[one]!.port));
  return new Set([...ports.keys()].filter((port) => names.has(ports[port]!.name)));
}

/** How it is drawn. */
export function shapeOf({ kind, mechanism }: EpisodeView): EpisodeView['kind'] | 'paused' {
  return kind === 'blocked' && isPause(mechanism) ? 'paused' : kind;
}
