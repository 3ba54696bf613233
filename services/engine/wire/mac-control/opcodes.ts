/** MAC control opcodes (802.3 Annex 31A). All others are discarded by a receiver. */

export const OPCODE_PAUSE = 0x0001;
export const OPCODE_PFC = 0x0101;

export function isSupportedOpcode(opcode: number): boolean {
  return opcode === OPCODE_PAUSE || opcode === OPCODE_PFC;
}
