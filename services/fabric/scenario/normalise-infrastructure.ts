/** `infrastructure` of the file -> which process is killed or stopped, when, and for how long. */

import type { Located } from './located.js';
import type { InfrastructureSection } from './infrastructure-section.js';
import type { InfrastructureInput } from './schema-infrastructure.js';

export function infrastructureSections(
  input: readonly InfrastructureInput[],
  located: Located,
): readonly InfrastructureSection[] {
  return input.map((fault, index) => {
    const path = ['infrastructure', index];
    const { kind, of: victim, device, at, after, for: lasts } = fault;
    const refuse = (message: string): Error => located.errorAt(path, message);
    if ((at === undefined) === (after === undefined)) {
      throw refuse('when? give at, a virtual time, or after, a wall-clock time');
    }
    if ((kind === 'pause') !== (lasts !== undefined)) {
      throw refuse('a pause needs for, a wall-clock time, and a kill has none');
    }
    if ((victim === 'service') !== (device !== undefined)) {
      throw refuse('a service is named by a device that it runs, and nothing else is');
    }
    return {
      kind,
      victim,
      device: device ?? null,
      atPs: at ?? null,
      afterPs: after ?? null,
      lastsPs: lasts ?? 0,
    };
  });
}
