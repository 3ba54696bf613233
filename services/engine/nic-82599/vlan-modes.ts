import type { RegisterFile } from './register-file.js';
import type { VlanModes } from './vlan.js';

/** VLAN modes by the registers of a part. */
export function vlanModesOf(registers: RegisterFile, dcb: boolean): VlanModes {
  const extended = registers.field('CTRL_EXT', 'EXTENDED_VLAN') === 1;
  return {
    double: extended && registers.field('DMATXCTL', 'GDV') === 1,
    outerType: registers.field('EXVET', 'VET_EXT'),
    innerType: registers.field('VLNCTRL', 'VET'),
    insertedType: registers.field('DMATXCTL', 'VT'),
    dcb,
  };
}
