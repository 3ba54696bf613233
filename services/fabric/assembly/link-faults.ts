import type { FaultTimes } from '../../engine/contract/fault.js';
import { frameErrorsOf } from '../link-errors.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Warn } from './device-warnings.js';
import type { PlacedFault } from './fault-plan.js';
import type { LinkEnd } from './link-ends.js';

/** Not in the scenario's list of faults. */
const OF_THE_LINK = -1;

const ALWAYS: Omit<FaultTimes, 'stream'> = {
  ...{ startPs: 0, forPs: Infinity, everyPs: Infinity, times: 1, untilPs: Infinity, random: false },
};

/** Bit errors that links have by their description: a fault that never ends, at both ends. */
export function linkFaults(
  linkEnds: readonly (readonly LinkEnd[])[],
  seed: number,
): readonly PlacedFault[] {
  return linkEnds.flat().flatMap(({ device, port, name, link }): PlacedFault[] => {
    if (link.errors === undefined) return [];
    const effect = { kind: 'bit-errors', ...frameErrorsOf(link.errors) } as const;
    const when = { ...ALWAYS, stream: name };
    const spec = { fault: OF_THE_LINK, seed, stream: `bit errors at ${name}`, when, effect };
    return [{ device, port, spec }];
  });
}

/** Warns of recovery times at links whose errors never end: there is no state without a loss. */
export function warnOfLastingErrors(
  faults: Scenario['faults'],
  placed: readonly PlacedFault[],
  linkEnds: readonly (readonly LinkEnd[])[],
  warn: Warn,
): void {
  for (const { device, port, spec } of placed) {
    const end = linkEnds[device]![port]!;
    const { recoverPs } = faults[spec.fault]!;
    if (recoverPs === null || end.link.errors === undefined) continue;
    const message =
      'recovery is not checked: the link has bit errors all the time; leave recover out, or the ' +
      'error rate of the link';
    warn(['faults', spec.fault, 'recover'], end.name, message);
  }
}
