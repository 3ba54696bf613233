import { EXIT } from './exit.js';

/** The signal that first asked this process to end; a process has one end. */
let first: NodeJS.Signals | null = null;

/** Notes a signal; returns whether it is the first. */
export function noteSignal(signal: NodeJS.Signals): boolean {
  const isFirst = first === null;
  first ??= signal;
  return isFirst;
}

/** Whether a signal asked it to end. */
export function isInterrupted(): boolean {
  return first !== null;
}

/** As shells report a process that a signal ended: 128 and the number of the signal. */
export function interruptedExit(): number {
  return first === 'SIGTERM' ? EXIT.TERMINATED : EXIT.INTERRUPTED;
}
