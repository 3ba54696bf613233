import { FAULT_KINDS } from '../../fabric/faults/registry.js';
import type { FaultResult } from '../../runtime/results/results.js';
import { faultText } from '../fault-text.js';
import type { FaultChoice, FaultView } from './page-data.js';

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
      look: FAULT_KINDS.get(fault.kind)?.look ?? 'device',
      ports: fault.at.flatMap((name) => placeOf.get(name) ?? []),
      spells: fault.spells.map(({ startPs, endPs }) => [startPs, endPs] as const),
      text: faultText(fault),
    }));
}

/** Kinds that the page of a run injects. */
export function faultChoices(): FaultChoice[] {
  return [...FAULT_KINDS.values()].flatMap(({ name, form }) =>
    form === undefined ? [] : [{ kind: name, ...form }],
  );
}
