import type { NicSpec, RegisterChange } from '../contract/spec.js';
import { TRAFFIC_CLASSES } from '../units/ethernet.js';
import type { EtsTable } from '../wire/lldp/dcbx-ieee.js';
import { hasClasses, rowsOfEts } from './ets-registers.js';
import { classRegister } from './refill-rule.js';
import type { RegisterFile } from './register-file.js';
import type { RegisterName } from './register-map.js';
import { packClasses } from './up-to-tc.js';

const TRANSMIT_TABLES: readonly RegisterName[] = ['RTTDT2C', 'RTTPT2C'];
const ALL_TABLES: readonly RegisterName[] = [...TRANSMIT_TABLES, 'RTRPT4C'];
const ALL_BITS = 0xffffffff;

/** What the driver reads of a part. */
interface Part {
  readonly spec: NicSpec;
  readonly registers: RegisterFile;
}

/** The driver's response to ETS tables that DCBX negotiates (802.1Q clause 38). */
export class EtsDriver {
  /** The configured table is active; else `table`, packed. */
  private isConfigured = true;
  private readonly table = new Uint8Array(3 * TRAFFIC_CLASSES);

  /**
   * The writes that activate a table: by the rule of the drivers, or back to the registers of the
   * configuration for the table that corresponds to them. Empty where it is active already; null
   * where the part has no such classes.
   */
  writesFor(nic: Part, ets: EtsTable, configured: EtsTable): RegisterChange[] | null {
    const { dcb, classes, longestFrameOctets } = nic.spec;
    if (!dcb) return null;
    const own = packed(configured);
    const wanted = packed(ets);
    if (isEqual(wanted, this.isConfigured ? own : this.table)) return [];
    if (!hasClasses(ets, classes)) return null;
    this.isConfigured = isEqual(wanted, own);
    this.table.set(wanted);
    const classOf = packClasses(ets.classOf);
    const rows = rowsOfEts(ets, classes, longestFrameOctets).map(classRegister);
    // Where both directions have one table of classes, the receive arbiter uses it, too.
    const isCommon = classOf === nic.registers.get('RTRUP2TC');
    const values = ALL_TABLES.flatMap((register) =>
      rows.map((word, index) => {
        const isOwn = this.isConfigured || (register === 'RTRPT4C' && !isCommon);
        return { register, index, value: isOwn ? configuredValue(nic, register, index) : word };
      }),
    );
    return [{ register: 'RTTUP2TC' as const, index: 0, value: classOf }, ...values]
      .filter(({ register, index, value }) => nic.registers.get(register, index) !== value)
      .map((value) => ({ ...value, mask: ALL_BITS }));
  }
}

function configuredValue({ spec }: Part, register: RegisterName, index: number): number {
  const found = spec.registers.find((own) => own.register === register && own.index === index);
  return found?.value ?? 0;
}

function packed({ classOf, shares, algorithms }: EtsTable): Uint8Array {
  return Uint8Array.from([...classOf, ...shares, ...algorithms]);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((value, i) => value === b[i]);
}
