import type { selvage } from '#contracts';
import { formatTime } from '../../report/format.js';
import { EXIT } from '../exit.js';
import { isOver, phaseName } from '../fleet/phases.js';
import {
  checkpointText,
  serviceLines,
  serviceRows,
  slowestFirst,
  throughputText,
} from '../fleet/service-table.js';
import { withRun } from './steer.js';

type Status = selvage.v1.RunStatus;

const PATIENCE_MS = 60_000;
/** Between two screens. */
const SHOW_MS = 250;
const CLEAR_SCREEN = '\x1b[H\x1b[2J';

export interface TopOptions {
  readonly once?: boolean;
}

/** Shows the services of a run in progress, the slowest first, until the run ends. */
export async function topCommand(run: string | undefined, options: TopOptions): Promise<number> {
  const isLive = process.stdout.isTTY && options.once !== true;
  return withRun(run, async (client) => {
    if (!isLive) {
      const status = await client.status();
      const text = status === null ? ['the coordinator does not answer'] : topScreen(status);
      process.stdout.write(`${text.join('\n')}\n`);
      return EXIT.COMPLETE;
    }
    let shownAt = -Infinity;
    const show = (status: Status): void => {
      const now = performance.now();
      if (now - shownAt < SHOW_MS && !isOver(status)) return;
      shownAt = now;
      const lines = topScreen(status).slice(0, process.stdout.rows - 1);
      process.stdout.write(`${CLEAR_SCREEN}${lines.join('\n')}\n`);
    };
    await client.follow(show, isOver, PATIENCE_MS);
    return EXIT.COMPLETE;
  });
}

/** A screen of a run: two lines about the run, and one for each service. */
export function topScreen(status: Status): string[] {
  const { run, scenario, virtualPs, share, epoch, rounds, messages, detail } = status;
  const rows = slowestFirst(serviceRows(status));
  const head = [
    `${run}  ${scenario}  ${phaseName(status)}${detail === '' ? '' : `: ${detail}`}`,
    `${formatTime(virtualPs)} (${Math.floor(share * 100)} %), ${throughputText(status)}, ` +
      `epoch ${epoch}, ${rounds} rounds, ${messages} messages, ${checkpointText(status)}`,
  ];
  if (rows.length === 0) return [...head, 'all of it is in one process'];
  return [...head, '', ...serviceLines(rows)];
}
