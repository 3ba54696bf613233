import { wordText } from '../../engine/nic-82599/register-addresses.js';
import { fieldOf } from '../../engine/nic-82599/register-file.js';
import { registerKind } from '../../engine/nic-82599/register-map.js';
import { registerPlace } from './normalise.js';
import type { Nic82599Result } from './results.js';

/** Of a register or a field by its name. Registers that are 0 are not among the results. */
export function registerValue(
  { registers }: Nic82599Result,
  name: string,
  fail: (message: string) => Error,
): number {
  const { register, index, field } = registerPlace(name, fail);
  const kind = registerKind(register);
  const word = registers[kind.count === 1 ? register : `${register}[${index}]`] ?? 0;
  return field === null || kind.status ? word : fieldOf(kind, field, word);
}

/** A whole register is read bit by bit, a field as a number. */
export function registerText(name: string, value: number): string {
  return name.includes('.') ? String(value) : wordText(value);
}
