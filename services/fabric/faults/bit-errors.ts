import { frameErrorsOf } from '../link-errors.js';
import { errorRate } from '../scenario/error-rate.js';
import { faultKind } from './fault-kind.js';

/** Errors of bits as the receiver has them. */
const INDEPENDENT = { fec: 'none', isAfterFec: true, burstBits: 1 } as const;

export const bitErrors = faultKind({
  name: 'bit-errors',
  effect: 'each received bit is wrong with this probability, and the receiver drops the frame',
  must: { errorRate: errorRate.describe('Probability of each bit to be wrong.') },
  may: {},
  hits: 'port',
  place(at, { errorRate: ber }) {
    at.put({ kind: 'bit-errors', ...frameErrorsOf({ ...INDEPENDENT, ber }) });
    // A pause that is lost lets the other end overflow.
    at.putAtPeer({ kind: 'excuse' });
    return true;
  },
  look: 'lossy',
  form: {
    says: 'bits of frames that arrive are wrong',
    fields: [{ key: 'errorRate', text: '1e-6' }],
  },
});
