import { formatTime } from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import { goToDevice, goToEpisode, goToFlow, goToPort } from '../address.js';
import { episodeName } from '../episodes/episode-words.js';

/** Something that a page has a view of. */
export interface Find {
  readonly kind: 'host' | 'switch' | 'port' | 'flow' | 'episode' | 'run' | 'measure';
  readonly name: string;
  readonly detail: string;
  readonly open: () => void;
}

const OF_A_KIND = 6;

/** Everything that can be found in a run; `openDevice` shows a host or switch. */
export function findables(run: RunPage, openDevice = goToDevice): Find[] {
  const { ports, flows, episodes, map } = run;
  const hostPorts = new Set(map.boxes.flatMap((box) => (box.layer === 0 ? box.ports : [])));
  const devices = new Map<string, Find>();
  ports.forEach(({ name: port }, place) => {
    const name = deviceOf(port);
    if (devices.has(name)) return;
    const kind = hostPorts.has(place) ? 'host' : 'switch';
    devices.set(name, { kind, name, detail: kind, open: opening(openDevice, name) });
  });
  return [
    ...devices.values(),
    ...flows.rows.map(({ name, source, destination }): Find => {
      const detail = `${source} to ${destination}`;
      return { kind: 'flow', name, detail, open: opening(goToFlow, name) };
    }),
    ...ports.map(({ name, peer }): Find => {
      return { kind: 'port', name, detail: `to ${peer}`, open: opening(goToPort, name) };
    }),
    ...(episodes?.rows ?? []).map((episode, place): Find => {
      const detail = `from ${formatTime(episode.startPs)}`;
      const name = episodeName(episode);
      return { kind: 'episode', name, detail, open: opening(goToEpisode, place) };
    }),
  ];
}

/** What can be found on a page of several runs: what any of them has, but for episodes. */
export function findablesOfAll(runs: readonly RunPage[]): Find[] {
  const found = new Map<string, Find>();
  for (const run of runs) {
    for (const find of findables({ ...run, episodes: null })) {
      const key = `${find.kind} ${find.name}`;
      if (!found.has(key)) found.set(key, find);
    }
  }
  return [...found.values()];
}

function opening<What>(goTo: (what: What) => void, what: What): () => void {
  return () => {
    goTo(what);
  };
}

export function deviceOf(port: string): string {
  return port.slice(0, port.lastIndexOf(':'));
}

/** Names that begin with the words come first; a few of each kind. */
export function matching(all: readonly Find[], words: string): Find[] {
  const wanted = words.trim().toLowerCase().split(/\s+/);
  const ranked = all.flatMap((find) => {
    const text = `${find.name} ${find.detail}`.toLowerCase();
    if (!wanted.every((word) => text.includes(word))) return [];
    const name = find.name.toLowerCase();
    return [{ find, rank: name === wanted[0] ? 0 : name.startsWith(wanted[0]!) ? 1 : 2 }];
  });
  const counts = new Map<string, number>();
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .flatMap(({ find }) => {
      const count = (counts.get(find.kind) ?? 0) + 1;
      counts.set(find.kind, count);
      return count > OF_A_KIND ? [] : [find];
    });
}
