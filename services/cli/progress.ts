import { formatCount, formatTime } from '../report/format.js';
import type { Progress } from '../runtime/session.js';

const BAR_WIDTH = 24;
const INTERVAL_MS = 100;

/** One line on a terminal, overwritten each time; nothing where there is no terminal. */
export class ProgressLine {
  private readonly startedAt = performance.now();
  private shownAt = -Infinity;

  constructor(private readonly stream: NodeJS.WriteStream | null) {}

  /** Shows the progress, unless it has just done so. */
  show(progress: () => Progress, note = ''): void {
    const now = performance.now();
    if (this.stream === null || now - this.shownAt < INTERVAL_MS) return;
    this.shownAt = now;
    const text = note || progressText(progress(), (now - this.startedAt) / 1000);
    this.stream.write(`\r${text.slice(0, (this.stream.columns || 100) - 1)}\x1b[K`);
  }

  /** Shows what is under way and has no progress of its own. */
  say(text: string): void {
    this.stream?.write(`\r${text}\x1b[K`);
  }

  clear(): void {
    this.stream?.write('\r\x1b[K');
  }
}

export function progressText({ virtualPs, share, frameHops }: Progress, seconds: number): string {
  const filled = Math.round(Math.min(1, share) * BAR_WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  const rate = formatCount(frameHops / Math.max(seconds, 1e-3));
  const left = share > 0.01 ? `${Math.ceil((seconds * (1 - share)) / share)} s left` : '';
  return `${bar} ${percent} %  ${formatTime(virtualPs)}  ${rate} frame-hops/s  ${left}`;
}
