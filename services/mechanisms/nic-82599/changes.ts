import type { NicSpec, RegisterChange } from '../../engine/contract/spec.js';
import type { RegisterName } from '../../engine/nic-82599/register-map.js';
import { registerKind } from '../../engine/nic-82599/register-map.js';

const ALL_BITS = 0xffffffff;

/** The writes that turn the registers of one 82599 into those of another. */
export function registerChanges(before: NicSpec, after: NicSpec): RegisterChange[] {
  const place = ({ register, index }: NicSpec['registers'][number]): string =>
    `${register}[${index}]`;
  const old = new Map(before.registers.map((value) => [place(value), value]));
  const written = after.registers.filter((own) => old.get(place(own))?.value !== own.value);
  const kept = new Set(after.registers.map(place));
  const cleared = before.registers
    .filter((own) => !kept.has(place(own)))
    .map((own) => ({ ...own, value: 0 }));
  return [...written, ...cleared].map((own) => ({ ...own, mask: ALL_BITS }));
}

/** Why one 82599 cannot become another while it runs; null if it can. */
export function lastingDifference(before: NicSpec | null, after: NicSpec | null): string | null {
  if (before === null || after === null) return before === after ? null : 'model';
  for (const key of ['dcb', 'classes', 'writes', 'longestFrameOctets'] as const) {
    if (JSON.stringify(before[key]) !== JSON.stringify(after[key])) return key;
  }
  if ((before.softwarePs === null) !== (after.softwarePs === null)) return 'receiveRings';
  const fixed = registerChanges(before, after).find(
    ({ register }) => !registerKind(register as RegisterName).live,
  );
  return fixed === undefined ? null : fixed.register;
}
