import type { FaultResult } from '../../runtime/results/results.js';
import { faultText } from '../fault-text.js';
import type { FaultLook, FaultView } from './page-data.js';

/** How a link, or a device, with a fault of a kind looks on the map. */
const LOOKS: Readonly<Record<string, FaultLook>> = {
  'link-down': 'down',
  freeze: 'down',
  'slow-link': 'slow',
  delay: 'slow',
  loss: 'lossy',
  'bit-errors': 'lossy',
  control: 'lossy',
};

/** Faults of a page: on its axes of time, and on the map. */
export function faultsView(
  faults: readonly FaultResult[],
  placeOf: ReadonlyMap<string, number>,
): FaultView[] {
  return faults
    .filter(({ times }) => times > 0)
    .map((fault) => ({
      name: fault.fault,
      kind: fault.kind,
      look: LOOKS[fault.kind] ?? 'device',
      ports: fault.at.flatMap((name) => placeOf.get(name) ?? []),
      spells: fault.spells.map(({ startPs, endPs }) => [startPs, endPs] as const),
      text: faultText(fault),
    }));
}
