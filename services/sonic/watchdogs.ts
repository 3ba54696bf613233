/** PFC_WD: watchdogs of ports, and what all of them have in common. */

import { type FieldReader, portsIn, textOf } from './fields.js';
import type { FileErrors, FilePlace } from './file-errors.js';
import type { Entry } from './tables.js';

export interface SonicWatchdog {
  readonly port: string;
  readonly place: FilePlace;
  readonly detectionMs: number;
  /** Null: a storm ends by hand only. */
  readonly restorationMs: number | null;
  readonly action: string;
}

export interface SonicWatchdogs {
  readonly watchdogs: readonly SonicWatchdog[];
  readonly pollMs: number | null;
  /** BIG_RED_SWITCH: every watchdog acts, whatever comes in. */
  readonly isForced: boolean;
}

/** What orchagent takes (pfcwdorch.h). */
const DETECTION_MS = [100, 5000] as const;
const RESTORATION_MS = [100, 60_000] as const;
const ACTIONS: readonly string[] = ['drop', 'forward', 'alert'];

export class WatchdogReader {
  constructor(
    private readonly reader: FieldReader,
    private readonly errors: FileErrors,
  ) {}

  read(): SonicWatchdogs {
    const global = this.reader.entries('PFC_WD').find(({ key }) => key === 'GLOBAL');
    const pollMs = this.poll(global);
    return { watchdogs: this.watchdogs(pollMs ?? 0), pollMs, isForced: this.isForced(global) };
  }

  private watchdogs(pollMs: number): SonicWatchdog[] {
    return this.reader
      .entries('PFC_WD')
      .filter(({ key }) => key !== 'GLOBAL')
      .flatMap((entry) => {
        const detectionMs = this.timeOf(entry, 'detection_time', DETECTION_MS);
        if (detectionMs === null) {
          if (!entry.fields.has('detection_time'))
            this.errors.add(entry.place, 'no detection_time');
          return [];
        }
        const restorationMs = this.timeOf(entry, 'restoration_time', RESTORATION_MS);
        const action = textOf(entry, 'action') ?? 'drop';
        if (!ACTIONS.includes(action)) {
          const { place } = entry.fields.get('action')!;
          this.errors.add(place, `${JSON.stringify(action)} is none of ${ACTIONS.join(', ')}`);
        }
        if (pollMs > Math.min(detectionMs, restorationMs ?? Infinity)) {
          this.errors.add(entry.place, `POLL_INTERVAL of ${pollMs} ms is longer than its times`);
        }
        return portsIn(entry.key).map((port) => {
          return { port, place: entry.place, detectionMs, restorationMs, action };
        });
      });
  }

  /** In ms; null: there is none, or one that orchagent refuses. */
  private timeOf(entry: Entry, field: string, [least, most]: readonly [number, number]) {
    const ms = this.reader.number(entry, field, null);
    if (ms === null || (ms === 0 && field === 'restoration_time')) return null;
    if (ms >= least && ms <= most) return ms;
    const { place } = entry.fields.get(field)!;
    this.errors.add(place, `${ms} ms is outside ${least} to ${most} ms: orchagent refuses it`);
    return null;
  }

  private poll(global: Entry | undefined): number | null {
    const pollMs = global === undefined ? null : this.reader.number(global, 'POLL_INTERVAL', null);
    if (pollMs === null || pollMs > 0) return pollMs;
    this.errors.add(global!.fields.get('POLL_INTERVAL')!.place, `${pollMs} ms is no interval`);
    return null;
  }

  private isForced(global: Entry | undefined): boolean {
    const set = textOf(global, 'BIG_RED_SWITCH') ?? 'disable';
    if (set === 'enable' || set === 'disable') return set === 'enable';
    const { place } = global!.fields.get('BIG_RED_SWITCH')!;
    this.errors.add(place, `${JSON.stringify(set)} is neither enable nor disable`);
    return false;
  }
}
