import type { EmulateOptions } from '../emulation.js';
import { EXIT } from '../exit.js';
import type { LocalRun } from '../local-control.js';

/** Opens the control plane of a run in this process if it is requested. */
export async function controlOf(run: LocalRun, { control }: EmulateOptions): Promise<() => void> {
  if (control !== true) return () => undefined;
  const { openControl } = await import('../local-control.js');
  return openControl(run);
}

/** Ctrl-C requests an orderly end; a second one ends at once. Returns how to remove the handler. */
export function onInterrupt(ask: () => void): () => void {
  let isAsked = false;
  const onInterrupted = (): void => {
    if (isAsked) process.exit(EXIT.INTERRUPTED);
    isAsked = true;
    ask();
  };
  process.on('SIGINT', onInterrupted).on('SIGTERM', onInterrupted);
  return () => {
    process.off('SIGINT', onInterrupted).off('SIGTERM', onInterrupted);
  };
}
