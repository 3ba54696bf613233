import type { RunResults } from '../runtime/results/results.js';
import { formatCount, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

/** How a run ended: with real hosts, it says how well it held time, and is never complete. */
export function verdictText({ status, live }: Pick<RunResults, 'status' | 'live'>): string {
  const time = live?.time ?? null;
  if (status !== 'live' || time === null) return status;
  const { inTime, late, worstSlipPs, scale } = time;
  const frames = inTime + late;
  if (frames === 0) return 'live, no frame came or left';
  // Not rounded up: one late frame is not 100 %.
  const share = (Math.floor((1000 * inTime) / frames) / 10).toFixed(1);
  const slower = scale === 1 ? '' : `, ${Number(scale.toPrecision(3))} times slower than real time`;
  return `live, ${share} % in time, worst slip ${formatTime(worstSlipPs)}${slower}`;
}

/** A row for each live port. */
export function liveText({ live }: RunResults, style: Style): string {
  if (live === null) return '';
  const rows = live.hosts.map(({ host, entered, refused, left }) => [
    ...[host, formatCount(entered), formatCount(left), formatCount(refused)],
    live.refusals
      .filter((own) => own.host === host)
      .map(({ reason, frames }) => `${formatCount(frames)} ${reason}`)
      .join(', '),
  ]);
  const head = ['host', 'entered', 'left', 'no room in the NIC', 'not taken'];
  return [style.strong('Live ports'), table(head, rows)].join('\n');
}
