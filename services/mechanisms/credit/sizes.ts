import type { MemorySize, SizeTerm } from '../mechanism-slice.js';
import type { CreditLoopTerms } from './loop.js';
import { assert } from '../../engine/kernel/assert.js';

/** Of one port and priority: its buffer, and the need at full rate. */
export interface CreditMargin {
  readonly device: number;
  readonly port: number;
  readonly priority: number;
  readonly unitOctets: number;
  readonly bufferUnits: number;
  readonly neededUnits: number;
  readonly terms: CreditLoopTerms;
  /** Time of an octet on the link. */
  readonly octetPs: number;
}

/** The buffer behind a port for one priority. */
export interface BufferPlan extends Omit<CreditMargin, 'device' | 'port' | 'octetPs'> {
  /** Units that a shaped receiver uses; else all of them. */
  readonly grantedUnits: number;
  /** Units that a grant may wait for. */
  readonly slackUnits: number;
}

const CREDIT_TERMS: readonly (readonly [keyof CreditLoopTerms, string, string])[] = [
  ['frameOctets', 'F', 'longest frame of the priority, whole'],
  ['roundTripOctets', '2C + 2ID', 'link and interfaces, there and back'],
  ['pipelineOctets', 'pipelines', 'of both ends'],
  ['waitOctets', 'W', 'longest frame that the granting port may just have begun'],
  ['controlOctets', 'P', 'grant'],
];

/** Buffer reserved for what is granted, and the octets of one loop. */
export function sizeOf(margin: CreditMargin): MemorySize {
  const { port, priority, unitOctets, bufferUnits, neededUnits, terms, octetPs } = margin;
  const inUnits = neededUnits * unitOctets - terms.totalOctets;
  assert(unitOctets > 0 && bufferUnits >= 0, 'credit.units-of-buffer');
  const termOf = (octets: number, term: string, meaning: string): SizeTerm => ({
    ...{ term, meaning, ps: octets * octetPs, octets },
  });
  return {
    ...{ title: 'credit buffer', port, priority },
    terms: [
      ...CREDIT_TERMS.map(([key, term, meaning]) => termOf(terms[key], term, meaning)),
      {
        ...{ term: 'units', meaning: `whole frames, in units of ${unitOctets} bytes` },
        ...{ ps: null, octets: inUnits },
      },
    ],
    neededOctets: neededUnits * unitOctets,
    givenOctets: bufferUnits * unitOctets,
    thresholds: {},
  };
}
