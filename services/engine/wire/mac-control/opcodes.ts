/** MAC control opcodes (802.3 Annex 31A). All others are discarded by a receiver. */

export const OPCODE_PAUSE = 0x0001;
export const OPCODE_PFC = 0x0101;
/** Credit exchange, with the opcodes of its proposal. */
export const OPCODE_CE_REQUEST = 0x0110;
export const OPCODE_CE_GRANT = 0x0111;
/** Of an organization: its identifier follows (802.3 Annex 31C). */
export const OPCODE_EXTENSION = 0xfffe;

export function isSupportedOpcode(opcode: number): boolean {
  return (
    opcode === OPCODE_PAUSE ||
    opcode === OPCODE_PFC ||
    opcode === OPCODE_CE_REQUEST ||
    opcode === OPCODE_CE_GRANT ||
    opcode === OPCODE_EXTENSION
  );
}
