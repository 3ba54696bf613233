import { formatTime } from '../../report/format.js';
import type { JobView, PathBar, RankBar } from '../../report/page/page-jobs-data.js';

/** What lies under the pointer. */
export interface Found {
  readonly rank: number;
  readonly host: string;
  readonly what: string;
  readonly startPs: number;
  readonly endPs: number;
  readonly flows: readonly string[];
  /** The part of the critical path there, in words; null: it is elsewhere. */
  readonly path: string | null;
}

const PATH_WORDS: Readonly<Record<PathBar['kind'], string>> = {
  compute: 'computing',
  message: 'a message',
  box: 'a message within a host',
  sending: 'handing over to the NIC',
};

/** The shortest operation of a rank at a time, or the nearest one within the slack. */
export function foundAt(job: JobView, row: number, timePs: number, slackPs: number): Found | null {
  const own = job.ranks[row];
  if (own === undefined) return null;
  const part = job.path.find(
    ({ rank, from, startPs, endPs }) =>
      (rank === own.rank || from === own.rank) && startPs <= timePs && timePs <= endPs,
  );
  const bar = barAt(own.bars, timePs, slackPs);
  if (bar === null && part === undefined) return null;
  const path = part === undefined ? null : partText(part);
  const flow = part?.flow ?? null;
  const { what, startPs, endPs } = bar ?? { what: 'waiting', ...part! };
  const flows = [...new Set([...(flow === null ? [] : [flow]), ...(bar?.flows ?? [])])];
  return { rank: own.rank, host: own.host, what, startPs, endPs, flows, path };
}

function barAt(bars: readonly RankBar[], timePs: number, slackPs: number): RankBar | null {
  const near = bars.filter(
    ({ startPs, endPs }) => startPs - slackPs <= timePs && timePs <= endPs + slackPs,
  );
  return near.reduce<RankBar | null>(
    (best, bar) => (best === null || lengthOf(bar) < lengthOf(best) ? bar : best),
    null,
  );
}

function lengthOf({ startPs, endPs }: RankBar): number {
  return endPs - startPs;
}

function partText({ kind, from, rank, startPs, endPs }: PathBar): string {
  const who = from === rank ? '' : ` from rank ${from} to rank ${rank}`;
  return `${PATH_WORDS[kind]}${who}, ${formatTime(endPs - startPs)}`;
}
