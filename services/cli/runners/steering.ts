import type { EmulateOptions } from '../emulation.js';
import { interruptedExit, noteSignal } from '../interruption.js';
import type { LocalRun } from '../local-control.js';

/** Opens the control plane of a run in this process if it is requested. */
export async function controlOf(run: LocalRun, { control }: EmulateOptions): Promise<() => void> {
  if (control !== true) return () => undefined;
  const { openControl } = await import('../local-control.js');
  return openControl(run);
}

/** Ctrl-C or SIGTERM requests an orderly end, a second one ends at once. Returns how to let go. */
export function onInterrupt(ask: () => void): () => void {
  const onInterrupted = (signal: NodeJS.Signals): void => {
    if (!noteSignal(signal)) process.exit(interruptedExit());
    process.stderr.write('\ninterrupted: what was measured is written; again: leave at once\n');
    ask();
  };
  process.on('SIGINT', onInterrupted).on('SIGTERM', onInterrupted);
  return () => {
    process.off('SIGINT', onInterrupted).off('SIGTERM', onInterrupted);
  };
}
