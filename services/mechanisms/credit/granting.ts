import { PS_PER_S } from '../../engine/units/time.js';
import type { SliceGranting } from '../mechanism-slice.js';
import { creditNegotiation } from './capability.js';
import type { CreditResults } from './results.js';
import { creditOf } from './spec.js';
import { recoveryPs, shaperGapPs, unknownPs } from './times.js';
import { OCTET_BITS } from '../../engine/units/words.js';

/** What runs and reports know of ports that exchange credit. */
export const creditGranting: SliceGranting<CreditResults> = {
  negotiation: creditNegotiation,
  limitOf: (port, priority) => {
    const spec = creditOf(port);
    const isOn = spec !== null && ((spec.priorities >> priority) & 1) !== 0;
    return isOn ? spec.asking.bufferUnits[priority] : null;
  },
  loses: (port) => creditOf(port)?.counts === 'incremental',
  shaperBps: (port) => {
    const shaper = creditOf(port)?.granting.shaper ?? null;
    return shaper === null ? Infinity : (OCTET_BITS * PS_PER_S) / shaper.octetPs;
  },
  shaperGapPs: (port) => shaperGapPs(creditOf(port)),
  unknownPs: (port) => unknownPs(creditOf(port)),
  recoveryPs: (port, keepAlives) => recoveryPs(creditOf(port), keepAlives),
  lost: ({ lostCredits }) => lostCredits,
  reclaims: ({ credits }) =>
    credits
      .filter(({ reclaims }) => reclaims > 0)
      .map(({ port, priority, channel, reclaims }) => ({
        ...{ port, priority, channel, times: reclaims },
      })),
};
