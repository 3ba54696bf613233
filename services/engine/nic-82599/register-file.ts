import type { RegisterKind, RegisterName } from './register-map.js';
import { REGISTER_NAMES, registerKind } from './register-map.js';
import { assert } from '../kernel/assert.js';

/** Index of each register in a file. */
const PLACES = placesOf();
const WORDS = REGISTER_NAMES.reduce((sum, name) => sum + registerKind(name).count, 0);

function placesOf(): Readonly<Record<RegisterName, number>> {
  let next = 0;
  const places = REGISTER_NAMES.map((name) => {
    const place = next;
    next += registerKind(name).count;
    return [name, place];
  });
  return Object.fromEntries(places) as Record<RegisterName, number>;
}

/** The control registers of one part; the values of status registers are computed elsewhere. */
export class RegisterFile {
  readonly words = new Uint32Array(WORDS);

  get(name: RegisterName, index = 0): number {
    return this.words[PLACES[name] + index];
  }

  set(name: RegisterName, index: number, value: number): void {
    assert(value >= 0 && value <= 0xffffffff, 'nic.register-of-32-bits');
    assert(index >= 0 && index < registerKind(name).count, 'nic.register-index');
    this.words[PLACES[name] + index] = value;
  }

  field(name: RegisterName, field: string, index = 0): number {
    return fieldOf(registerKind(name), field, this.get(name, index));
  }

  setField(name: RegisterName, field: string, index: number, value: number): void {
    const { low, bits } = registerKind(name).fields[field];
    this.set(name, index, withBits(this.get(name, index), low, bits, value));
  }
}

export function fieldOf(kind: RegisterKind, field: string, word: number): number {
  const { low, bits } = kind.fields[field];
  return Math.floor(word / 2 ** low) % 2 ** bits;
}

function withBits(word: number, low: number, bits: number, value: number): number {
  const mask = (2 ** bits - 1) * 2 ** low;
  return ((word & ~mask) | (value * 2 ** low)) >>> 0;
}
