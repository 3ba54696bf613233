import type { FecKind } from '../fabric/link-errors.js';
import {
  CODES,
  CODEWORD_OCTETS,
  codewordErrorRate,
  fecDelayPs,
  frameErrorRate,
  frameErrorsOf,
} from '../fabric/link-errors.js';

const BER = 1e-4;
const FRAME_OCTETS = 4178;
const RATE_BPS = 100e9;

/** How a frame error rate follows from `fabric.link`, with values computed here. */
export function bitErrorsText(): string {
  const codes = (['rs-528', 'rs-544'] as const).map((fec) => {
    const { symbols, corrects } = CODES[fec];
    return `${fec} corrects ${corrects} of ${symbols} symbols of 10 bits`;
  });
  return (
    'A link has bit errors by its description: `fabric: { link: { fec: rs-544, preFecBer: 1e-4 ' +
    '} }`, or postFecBer for what is left after FEC. A frame with a wrong bit is dropped by the ' +
    'receiver (fcs-error). Without FEC, or after it, a frame of B bytes is bad with ' +
    '1 - (1 - p)^(8 B); in bursts of b bits with 1 - (1 - p/b)^(8 B + b - 1). Before FEC, a ' +
    `codeword of ${CODEWORD_OCTETS} bytes is bad if it has more wrong symbols than the code ` +
    `corrects: ${codes.join(', ')}. A symbol is wrong with q = 1 - (1 - p)^10, a codeword with ` +
    'P = sum over k above the corrected of C(n,k) q^k (1 - q)^(n - k), and a frame with ' +
    `1 - (1 - P)^((B + ${CODEWORD_OCTETS - 1}) / ${CODEWORD_OCTETS}). Frames are sampled one by ` +
    'one. FEC takes the time of two codewords (from 200G of four), unless interfaceDelay says ' +
    `what the stations take.\nAt preFecBer ${BER} and ${FRAME_OCTETS} bytes:\n` +
    (['none', 'rs-528', 'rs-544'] as const).map(line).join('\n')
  );
}

function line(fec: FecKind): string {
  const errors = frameErrorsOf({ fec, ber: BER, isAfterFec: false, burstBits: 1 });
  const rate = frameErrorRate(errors, FRAME_OCTETS).toPrecision(3);
  const delay = `${fecDelayPs(fec, RATE_BPS) / 1e3} ns at 100G`;
  if (fec === 'none') return `none: frame error rate ${rate}`;
  const codeword = codewordErrorRate(fec, BER, 1).toPrecision(3);
  return `${fec}: codeword error rate ${codeword}, frame error rate ${rate}, ${delay}`;
}
