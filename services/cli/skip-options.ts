import type { Fabric } from '../fabric/assembly/fabric.js';
import { observersOf } from '../runtime/observers.js';
import { exclusionOf } from '../runtime/skipping/exclusion.js';
import { InputError } from './exit.js';

/** What else a run was asked for that may exclude skipping. */
interface Asked {
  readonly fabric: Fabric;
  readonly isChecked: boolean;
  /** In threads, or in services. */
  readonly isDivided: boolean;
}

/** Whether what repeats is skipped: `--skip exact`. */
export function skipsOf(skip: string | undefined, asked: Asked): boolean {
  if (skip === undefined || skip === 'off') return false;
  if (skip.startsWith('about')) {
    throw new InputError(`--skip ${skip}: estimates are not offered; write exact or off`);
  }
  if (skip !== 'exact')
    throw new InputError(`--skip ${skip}: not a way to skip; write exact or off`);
  if (asked.isDivided) {
    throw new InputError('--skip exact works in one process: leave out --threads and --processes');
  }
  const excluded = exclusionOf(observersOf(asked.fabric), asked.isChecked, asked.fabric);
  if (excluded === null) return true;
  throw new InputError(`--skip exact is excluded, as ${excluded}: leave out one of the two`);
}
