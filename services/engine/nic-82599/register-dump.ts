/** The registers of a part by address, with what they say. */

import { addressOf, sharedAddressOf } from './register-addresses.js';
import { fieldOf } from './register-file.js';
import type { RegisterName } from './register-map.js';
import { QUEUES, REGISTER_NAMES, registerKind } from './register-map.js';

interface DumpedRegister {
  /** Null: an index that has no address. */
  readonly address: number | null;
  /** Value of RTTDQSEL that selects it; null: it has an address of its own. */
  readonly selectedBy: number | null;
  readonly name: string;
  readonly value: number;
  readonly fields: Readonly<Record<string, number>>;
}

/** By address. Of registers that queues have, only those that are not 0, as all of `values`. */
export function registerDump(values: Readonly<Record<string, number>>): DumpedRegister[] {
  const dumped = REGISTER_NAMES.flatMap((register) => {
    const { count } = registerKind(register);
    return Array.from({ length: count }, (_, index) => {
      const name = count === 1 ? register : `${register}[${index}]`;
      return dumpedRegister(register, index, name, values[name] ?? 0);
    }).filter(({ value }) => count < QUEUES || value !== 0);
  });
  const placeOf = ({ address }: DumpedRegister): number => address ?? Infinity;
  return dumped.sort(
    (a, b) => placeOf(a) - placeOf(b) || (a.selectedBy ?? 0) - (b.selectedBy ?? 0),
  );
}

function dumpedRegister(
  register: RegisterName,
  index: number,
  name: string,
  value: number,
): DumpedRegister {
  const kind = registerKind(register);
  const shared = sharedAddressOf(register);
  const names = kind.status ? [] : Object.keys(kind.fields);
  return {
    address: shared ?? addressOf({ register, index }),
    selectedBy: shared === null ? null : index,
    name,
    value,
    fields: Object.fromEntries(names.map((field) => [field, fieldOf(kind, field, value)])),
  };
}
