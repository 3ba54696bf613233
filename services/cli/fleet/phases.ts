import { selvage } from '#contracts';
import type { ProgressLine } from '../progress.js';

const { Phase } = selvage.v1.RunStatus;
type Status = selvage.v1.RunStatus;

const NAMES: Readonly<Record<number, string>> = {
  [Phase.PHASE_GATHERING]: 'gathering',
  [Phase.PHASE_RUNNING]: 'running',
  [Phase.PHASE_PAUSED]: 'paused',
  [Phase.PHASE_RECOVERING]: 'recovering',
  [Phase.PHASE_COLLECTING]: 'collecting',
  [Phase.PHASE_COMPLETE]: 'complete',
  [Phase.PHASE_INTERRUPTED]: 'interrupted',
  [Phase.PHASE_FAILED]: 'failed',
};

export function phaseName({ phase }: Status): string {
  return NAMES[phase] ?? 'unknown';
}

export function isOver(status: Status): boolean {
  return ['complete', 'interrupted', 'failed'].includes(phaseName(status));
}

export function showStatus(progress: ProgressLine, status: Status): void {
  const { virtualPs, share, frameHops } = status;
  const endPs = status.endPs === Infinity ? null : status.endPs;
  progress.show(() => ({ virtualPs, endPs, share, frameHops }), noteOf(status));
}

/** Note of the progress line while frames do not move, or checkpoints fail. */
function noteOf(status: Status): string {
  const { phase, connected, services, detail } = status;
  if (phase === Phase.PHASE_GATHERING) return `${connected} of ${services} services are there`;
  if (phase === Phase.PHASE_RUNNING) return detail;
  return detail === '' ? phaseName(status) : `${phaseName(status)}: ${detail}`;
}
