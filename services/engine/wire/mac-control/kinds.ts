import { OPCODE_CE_GRANT, OPCODE_CE_REQUEST, OPCODE_PAUSE, OPCODE_PFC } from './opcodes.js';

/** A kind of MAC control frame that concerns priorities. */
interface MacControlKind {
  /** As scenarios name it. */
  readonly name: string;
  /** As captures select it. */
  readonly type: MacControlType;
  readonly opcode: number;
  /** Offset of the octet that names its priorities; null: it applies to all. */
  readonly vectorAt: number | null;
}

export const MAC_CONTROL_TYPES = ['pause', 'pfc', 'ce'] as const;
type MacControlType = (typeof MAC_CONTROL_TYPES)[number];

/** Behind the opcode: the low octet of a vector of PFC; in CE, what follows the flags. */
const VECTOR_AT = 17;

export const MAC_CONTROL_KINDS: readonly MacControlKind[] = [
  { name: 'pause', type: 'pause', opcode: OPCODE_PAUSE, vectorAt: null },
  { name: 'pfc', type: 'pfc', opcode: OPCODE_PFC, vectorAt: VECTOR_AT },
  { name: 'ce-request', type: 'ce', opcode: OPCODE_CE_REQUEST, vectorAt: VECTOR_AT },
  { name: 'ce-grant', type: 'ce', opcode: OPCODE_CE_GRANT, vectorAt: VECTOR_AT },
];
