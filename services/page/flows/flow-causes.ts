import type { EpisodesView, FlowView } from '../../report/page/page-flow-data.js';
import type { RunPage } from '../../report/page/page-data.js';
import { causesOf, placeText } from '../episodes/episode-words.js';

/** What blocked a flow at one port of its path, and the root of that. */
export interface FlowCause {
  readonly port: string;
  readonly mechanism: string;
  /** Of the flow's life, all its episodes together. */
  readonly totalPs: number;
  readonly times: number;
  /** Place of the longest of its episodes, and of the root of that one. */
  readonly episode: number;
  readonly root: number;
  readonly rootName: string;
  readonly reason: string;
  /** The flow's own frames pass the root; else it is a victim. */
  readonly passesRoot: boolean;
}

/** Longest first; empty where nothing blocked it or episodes are not observed. */
export function causesOfFlow(run: RunPage, flow: FlowView): FlowCause[] {
  const { episodes, ports } = run;
  if (episodes === null) return [];
  const path = new Set(flow.path.map((port) => ports[port]!.name));
  const endPs = flow.completionPs === null ? run.virtualPs : flow.startPs + flow.completionPs;
  const found = new Map<string, FlowCause>();
  episodes.rows.forEach((episode, place) => {
    const { kind, port, priority, mechanism } = episode;
    if (kind !== 'blocked' || !path.has(port)) return;
    if (priority !== null && priority !== flow.priority) return;
    const until = Math.min(episode.endPs ?? run.virtualPs, endPs);
    const ps = until - Math.max(episode.startPs, flow.startPs);
    if (ps <= 0) return;
    const root = rootOf(episodes, place);
    const rootEpisode = episodes.rows[root]!;
    const rootName = placeText(rootEpisode);
    const key = `${port} ${mechanism} ${rootName}`;
    const before = found.get(key);
    const longest = before === undefined || lengthOf(run, before.episode) < ps ? place : null;
    found.set(key, {
      ...{ port, mechanism, rootName, reason: rootEpisode.reason },
      totalPs: ps + (before?.totalPs ?? 0),
      times: 1 + (before?.times ?? 0),
      episode: longest ?? before!.episode,
      root: longest === null ? before!.root : root,
      passesRoot: path.has(rootEpisode.port),
    });
  });
  return [...found.values()].sort((a, b) => b.totalPs - a.totalPs);
}

/** Causes with one root together, the root that blocked longest first. */
export function byRoot(causes: readonly FlowCause[]): FlowCause[][] {
  const roots = new Map<string, FlowCause[]>();
  for (const cause of causes) {
    const known = roots.get(cause.rootName);
    if (known === undefined) roots.set(cause.rootName, [cause]);
    else known.push(cause);
  }
  return [...roots.values()];
}

function rootOf(episodes: EpisodesView, place: number): number {
  return causesOf(episodes, place).at(-1)!;
}

function lengthOf({ episodes, virtualPs }: RunPage, place: number): number {
  const { startPs, endPs } = episodes!.rows[place]!;
  return (endPs ?? virtualPs) - startPs;
}
