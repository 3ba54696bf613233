/** Direct cache access (7.5): the hint that goes with a posted memory write. */

const WRITE_KINDS = ['descriptor', 'header', 'payload'] as const;
export type WriteKind = (typeof WRITE_KINDS)[number];

/** DCA_CTRL.DCA_MODE. */
const DCA_MODE_LEGACY = 0;

/** Bit of a kind of write in DCA_RXCTRL and DCA_TXCTRL. */
const DCA_ENABLE_BIT: Readonly<Record<WriteKind, number>> = {
  descriptor: 5,
  header: 6,
  payload: 7,
};

/**
 * The tag of a write: 0 where it is not hinted. `control` is DCA_CTRL, `queue` that of the queue.
 * Legacy: bit 0 says that there is a hint, bits 4:1 name the CPU. 1.0: the target core, 0 for none.
 */
export function dcaTag(control: number, queue: number, kind: WriteKind): number {
  const disabled = (control & 1) !== 0;
  if (disabled || (queue & (1 << DCA_ENABLE_BIT[kind])) === 0) return 0;
  const cpu = queue >>> 24;
  return ((control >>> 1) & 0xf) === DCA_MODE_LEGACY ? 1 | ((cpu & 15) << 1) : cpu;
}
