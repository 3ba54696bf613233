import type { Nic82599Result } from '../../services/mechanisms/nic-82599/results.js';
import type { RunResults } from '../../services/runtime/results/results.js';

/** All that a run says of its 82599s. */
export function nicsOf({ nics }: Pick<RunResults, 'nics'>): readonly Nic82599Result[] {
  return nics as readonly Nic82599Result[];
}
