/** Writes of a driver by address, and the registers that they set. */

import type { RegisterPlace } from './register-addresses.js';
import { addressText, registersAt, RTTDQSEL_ADDRESS, wordText } from './register-addresses.js';
import type { RegisterName } from './register-map.js';
import { QUEUES, registerKind } from './register-map.js';

/** A register, and what it becomes. */
export interface TracedValue extends RegisterPlace {
  readonly value: number;
}

/** What a trace comes to. */
export interface RegisterTrace {
  /** Written before the part runs, and while it runs. */
  readonly registers: readonly TracedValue[];
  readonly writes: readonly { readonly atPs: number; readonly values: readonly TracedValue[] }[];
  /** What changes nothing, since the emulation does not have it: registers and bits. */
  readonly ignored: readonly string[];
}

/** A line of a trace. */
interface TracedWrite {
  readonly line: number;
  readonly atPs: number;
  readonly address: number;
  readonly value: number;
}

/** Throws what is wrong with a value, or that its register cannot be written at that time. */
type CheckValue = (
  value: TracedValue,
  whileRunning: boolean,
  reject: (message: string) => Error,
) => void;

/** Of the control register of each arbiter: nothing is granted while it is set. */
const ARBDIS = 1 << 6;
const ARBITERS: ReadonlySet<RegisterName> = new Set(['RTTDCS', 'RTTPCS', 'RTRPCS']);

/** Follows the writes of a trace; `fail` is given what is wrong. */
export function registerTrace(
  writes: readonly TracedWrite[],
  check: CheckValue,
  fail: (message: string) => Error,
): RegisterTrace {
  const reader = new TraceReader(check);
  for (const write of writes) {
    reader.read(write, (message) => fail(`line ${write.line}: ${message}`));
  }
  return reader.end(fail);
}

class TraceReader {
  private readonly registers: TracedValue[] = [];
  private readonly writes: { atPs: number; values: TracedValue[] }[] = [];
  private readonly ignored = new Set<string>();
  /** By register: what was last written to it. */
  private readonly values = new Map<string, number>();
  /** Arbiters that are disabled now, and the line that did so. */
  private readonly disabled = new Map<RegisterName, number>();
  /** RTTDQSEL: the transmit queue whose registers are written. */
  private selected = 0;
  private nowPs = 0;

  constructor(private readonly check: CheckValue) {}

  read({ line, atPs, address, value }: TracedWrite, reject: (message: string) => Error): void {
    if (atPs < this.nowPs) throw reject('its time is before that of the line above');
    if (atPs > this.nowPs) this.checkEnabled(reject);
    this.nowPs = atPs;
    if (address === RTTDQSEL_ADDRESS) {
      if (value >= QUEUES) throw reject(`RTTDQSEL selects queues 0 to ${QUEUES - 1}, not ${value}`);
      this.selected = value;
      return;
    }
    const places = registersAt(address, this.selected);
    if (places.length === 0) this.ignored.add(`address ${addressText(address)}`);
    for (const place of places) this.write(place, line, value, reject);
  }

  end(fail: (message: string) => Error): RegisterTrace {
    this.checkEnabled(fail);
    const { registers, writes } = this;
    return { registers, writes, ignored: [...this.ignored].sort() };
  }

  private write(
    { register, index }: RegisterPlace,
    line: number,
    written: number,
    reject: (message: string) => Error,
  ): void {
    if (ARBITERS.has(register)) {
      if ((written & ARBDIS) !== 0) this.disabled.set(register, line);
      else this.disabled.delete(register);
    }
    const value = this.definedBits(register, written);
    const name = `${register}[${index}]`;
    const isRunning = this.nowPs > 0;
    // A driver writes whole tables again: what is fixed may be written as it is.
    const isSame = this.values.get(name) === value;
    if (isSame && !registerKind(register).live) return;
    this.values.set(name, value);
    const traced = { register, index, value };
    this.check(traced, isRunning, reject);
    if (!isRunning) this.registers.push(traced);
    else if (this.writes.at(-1)?.atPs === this.nowPs) this.writes.at(-1)!.values.push(traced);
    else this.writes.push({ atPs: this.nowPs, values: [traced] });
  }

  /** Others are noted: they would be stored and change nothing. */
  private definedBits(register: RegisterName, word: number): number {
    const { fields } = registerKind(register);
    let defined = 0;
    for (const { low, bits } of Object.values(fields)) {
      for (let bit = low; bit < low + bits; bit++) defined |= 1 << bit;
    }
    const rest = (word & ~defined & ~(ARBITERS.has(register) ? ARBDIS : 0)) >>> 0;
    if (rest !== 0) this.ignored.add(`bits ${wordText(rest)} of ${register}`);
    return (word & defined) >>> 0;
  }

  /** A driver disables an arbiter while it writes its tables; that it stays so is not emulated. */
  private checkEnabled(reject: (message: string) => Error): void {
    for (const [register, line] of this.disabled) {
      const message = `${register}.ARBDIS, set in line ${line}, is still set when time goes on`;
      throw reject(`${message}; write it back to 0 at the same time`);
    }
  }
}
