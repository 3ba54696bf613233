/**
 * Headroom as the scripts of vendors compute it for the dynamic buffer model of SONiC
 * (sonic-swss cfgmgr/buffer_headroom_mellanox.lua and _barefoot.lua at e6b0c5b5): to compare with
 * what the link needs, and to run what a switch would be given.
 */

const KIB = 1024;
const SMALL_FRAME = 64;
/** Of light in fibre, as the scripts have it; m/s. */
const SPEED = 198_000_000;

/** Response times of 802.3 31B.3.7 in quanta of 512 bits, by rate in Mb/s. */
const QUANTA: Readonly<Record<number, number>> = {
  100: 1,
  1000: 2,
  10_000: 67,
  25_000: 80,
  40_000: 118,
  50_000: 147,
  100_000: 394,
  200_000: 453,
  400_000: 905,
  800_000: 905,
};
const QUANTUM_BYTES = 64;
const SLOWER_FROM_MBPS = 400_000;

/** Response time of 802.3 31B.3.7 in picoseconds; null where it has none for the rate. */
export function responsePs(rateMbps: number): number | null {
  const quanta = QUANTA[rateMbps];
  return quanta === undefined ? null : Math.ceil((quanta * QUANTUM_BYTES * 8e6) / rateMbps);
}

/** Of a chip: what a vendor's script reads of it. */
export interface HeadroomChip {
  readonly vendor: 'nvidia' | 'barefoot';
  readonly cellBytes: number;
  readonly pipelineKib: number;
  readonly macPhyKib: number;
  /** Where the rate is not one of 802.3 31B.3.7. */
  readonly peerResponseKib: number;
  /** More for each Gb/s, of chips that are made of tiles. */
  readonly tileBytesPerGbps: number;
  /** More in any case. */
  readonly moreKib: number;
}

/** Octets that arrive until the sender has stopped, as a script has them. */
interface ScriptedTerms {
  readonly waitOctets: number;
  readonly linkOctets: number;
  readonly interfaceOctets: number;
  readonly responseOctets: number;
  readonly tileOctets: number;
}

export interface HeadroomRequest {
  readonly rateMbps: number;
  readonly cableMetres: number;
  readonly mtu: number;
  readonly losslessMtu: number;
  /** Of packets. */
  readonly smallPercent: number;
  readonly gearboxNs: number;
  readonly lanes: number;
  readonly isShared: boolean;
}

interface ScriptedProfile {
  readonly xon: number;
  readonly xoff: number;
  readonly size: number;
}

export function scriptedProfile(chip: HeadroomChip, request: HeadroomRequest): ScriptedProfile {
  return chip.vendor === 'nvidia' ? nvidia(chip, request) : barefoot(chip, request);
}

function nvidia(chip: HeadroomChip, request: HeadroomRequest): ScriptedProfile {
  const { losslessMtu, smallPercent: small, mtu, isShared } = request;
  const worst = Math.ceil(worstOf(chip));
  // Percentage of bytes, as it stands there; it may pass 100.
  const bytes = (100 * SMALL_FRAME) / ((small * SMALL_FRAME + (100 - small) * losslessMtu) / 100);
  const occupancy = (100 - bytes + bytes * worst) / 100;
  const wire = onTheWay(chip, request, 8000);
  let xoff = wholeKib(losslessMtu + wire * occupancy) + chip.moreKib * KIB;
  const isLow = xoff + 2 * KIB < wholeKib(losslessMtu + wire * worst);
  if (!isShared && small !== 100 && isLow) xoff += 2 * KIB;
  const isWide = request.lanes === 8;
  const xon = wholeKib(chip.pipelineKib * KIB * (isWide ? 2 : 1));
  const size = isShared ? xon : wholeKib(xoff + xon + (isWide ? mtu : 0));
  return { xon, xoff, size };
}

function barefoot(chip: HeadroomChip, request: HeadroomRequest): ScriptedProfile {
  const { losslessMtu, smallPercent: small } = request;
  const occupancy = (100 - small + small * worstOf(chip)) / 100;
  const xoff = wholeKib(losslessMtu + onTheWay(chip, request, 8 * KIB) * occupancy);
  const xon = wholeKib(chip.pipelineKib * KIB);
  return { xon, xoff, size: xon };
}

/** Octets of cells for one of a small frame. */
function worstOf({ cellBytes }: HeadroomChip): number {
  return cellBytes > 2 * SMALL_FRAME ? cellBytes / SMALL_FRAME : (2 * cellBytes) / (1 + cellBytes);
}

/** What arrives until the sender has stopped; `divisor`: from Mb/s to octets on the cable. */
function onTheWay(chip: HeadroomChip, request: HeadroomRequest, divisor: number): number {
  const terms = termsOf(chip, request, divisor);
  const { waitOctets, linkOctets, interfaceOctets, responseOctets, tileOctets } = terms;
  return waitOctets + linkOctets + interfaceOctets + responseOctets + tileOctets;
}

/** The terms of its sum, without the frame that the sender has begun, and without cells. */
export function scriptedTerms(chip: HeadroomChip, request: HeadroomRequest): ScriptedTerms {
  return termsOf(chip, request, chip.vendor === 'nvidia' ? 8000 : 8 * KIB);
}

/** Octets on the cable, there and back: no headroom can be less. */
export function cableOctets(rateMbps: number, cableMetres: number): number {
  return Math.ceil((2 * cableMetres * rateMbps * 1e6) / 8 / SPEED);
}

function termsOf(chip: HeadroomChip, request: HeadroomRequest, divisor: number): ScriptedTerms {
  const { rateMbps, cableMetres, gearboxNs, mtu } = request;
  const quanta = QUANTA[rateMbps];
  const response = quanta === undefined ? chip.peerResponseKib * KIB : quanta * QUANTUM_BYTES;
  const isDoubled = chip.vendor === 'barefoot' && rateMbps === SLOWER_FROM_MBPS;
  const cable = (2 * cableMetres * rateMbps * 1e9) / SPEED / divisor;
  const gearbox = gearboxNs === 0 ? 0 : (rateMbps * gearboxNs) / 8 / KIB;
  const tile = (rateMbps / 1000) * chip.tileBytesPerGbps;
  const macPhy = chip.macPhyKib * KIB;
  return {
    waitOctets: mtu,
    linkOctets: cable,
    interfaceOctets: 2 * gearbox + macPhy,
    responseOctets: (isDoubled ? 2 : 1) * response,
    tileOctets: tile,
  };
}

const wholeKib = (bytes: number): number => Math.ceil(bytes / KIB) * KIB;
