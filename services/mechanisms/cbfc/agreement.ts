/** What link partners agree on over LLDP: which priorities of a port start frames. */

import type { MechanismTlvs } from '../../engine/wire/lldp/mechanism-tlvs.js';
import type { CbfcPortSpec } from './spec.js';

/** What a link partner does not advertise, for which a priority of a port waits; null: nothing. */
export function missingOf(
  { channelOf, sender }: CbfcPortSpec,
  priority: number,
  { linkLayer, channelCredits }: MechanismTlvs,
): string | null {
  if (linkLayer?.credits !== true || channelCredits === null) return 'CBFC';
  const { creditOctets, overhead, lossless } = channelCredits;
  const own = 1 << sender.shift;
  if (creditOctets !== own || overhead !== sender.overhead) {
    return `credits of ${own} bytes with an overhead of ${sender.overhead}`;
  }
  const channel = channelOf[priority];
  return (lossless & (1 << channel)) === 0 ? `virtual channel ${channel} as lossless` : null;
}
