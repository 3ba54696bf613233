import type { EmulateOptions } from '../emulation.js';
import { EXIT } from '../exit.js';
import type { LocalRun } from '../local-desk.js';

/** Opens the control plane of a run in this process if that was asked for. */
export async function controlOf(run: LocalRun, { control }: EmulateOptions): Promise<() => void> {
  if (control !== true) return () => undefined;
  const { openControl } = await import('../local-desk.js');
  return openControl(run);
}

/** Ctrl-C asks for an end in order; a second one ends at once. Returns how to hear it no more. */
export function onInterrupt(ask: () => void): () => void {
  let isAsked = false;
  const hear = (): void => {
    if (isAsked) process.exit(EXIT.INTERRUPTED);
    isAsked = true;
    ask();
  };
  process.on('SIGINT', hear).on('SIGTERM', hear);
  return () => {
    process.off('SIGINT', hear).off('SIGTERM', hear);
  };
}
