/** The application of a host reads slowly, or not at all. */

import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import { faultKind, type FaultPort } from './fault-kind.js';
import { KEYS } from './keys.js';

const NEEDS = 'a plain NIC';

/** Not of switches, and NICs with rings, which set the speed of their software. */
function read(at: FaultPort, octetPs: number): boolean {
  if (at.device.kind !== 'host' || at.device.nic !== null) return false;
  at.put({ kind: 'read', octetPs });
  return true;
}

export const slowReceiver = faultKind({
  name: 'slow-receiver',
  effect: 'the application of a host reads no faster than this',
  must: { rate: KEYS.rate },
  may: {},
  hits: 'port',
  needs: NEEDS,
  place: (at, { rate }) => read(at, OCTET_BITS_PS / rate),
  look: 'device',
  form: {
    says: 'the application of the host reads slowly',
    fields: [{ key: 'rate', text: '10G' }],
  },
});

export const hostPause = faultKind({
  name: 'host-pause',
  effect: 'the application of a host reads nothing',
  must: {},
  may: {},
  hits: 'port',
  needs: NEEDS,
  place: (at) => read(at, Infinity),
  look: 'device',
});
