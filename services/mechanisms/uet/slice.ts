import { PS_PER_S, PS_PER_US } from '../../engine/units/time.js';
import {
  RECEIVED_UNIT,
  UET_ACK_CC_OCTETS,
  UET_CREDIT_REQUEST_OCTETS,
  UET_REQUEST_OCTETS,
  UET_SEMANTIC_OCTETS,
} from '../../engine/wire/uet.js';
import type { CarriedFlow, TransportSlice } from '../transport-slice.js';
import { entropyWords } from './entropy.js';
import { MOST_WINDOW, sendingWords } from './layout.js';
import { Uet } from './mechanism.js';
import {
  completeUet,
  type NsccSettings,
  type UetInput,
  uetSettings,
  type UetSettings,
} from './settings.js';
import { type CreditSpec, type NsccSpec, UET, type UetSpec } from './spec.js';
import { uetWire } from './wire.js';

/** Where no link is between the ends. */
const LOCAL_OCTETS = 64 * 1500;
/** Largest windows of NSCC that a receiver tells apart. */
const TRACKED_WINDOWS = 3;
/** A nominal packet has as many octets as its UDP datagram, and these. */
const NOMINAL_OCTETS = 40 + 8 + UET_REQUEST_OCTETS + UET_SEMANTIC_OCTETS;
/** Ethernet 14, IPv4 20, UDP 8, FCS 4. */
const ENVELOPE_OCTETS = 46;
/** Of the round trip, where switches tell of each packet that they drop. */
const CUT_TARGET = 0.75;
/** NSCC scales its constants by the bandwidth-delay product, from 100 Gb/s and 12 us. */
const SCALE_OCTETS = 150_000;
const SCALE_PS = 12 * PS_PER_US;

export const uet: TransportSlice<UetInput, UetSettings> = {
  kind: UET,
  name: 'uet',
  title: 'Ultra Ethernet Transport',
  order: 'window',
  settings: uetSettings,
  complete: completeUet,
  variants: {
    uet: { keys: {}, needsMarks: true },
    'uet:rccc': { keys: { control: 'rccc' } },
    'uet:both': { keys: { control: 'both' }, needsMarks: true },
  },
  help: 'Ultra Ethernet Transport (RUD with NSCC), with settings.',
  alsoCalled: ['ultra ethernet', 'ultra ethernet transport', 'uec', 'nscc', 'reps', 'rud'],
  topic:
    'Ultra Ethernet Transport (UET): packets of a message take many paths, each chosen by an ' +
    'entropy value, in any order; NSCC limits the bytes in flight by marks and delays. It needs ' +
    'no lossless priority. `transport: uet`; `{ uet: { entropy: reps } }`.',
  overheadBytes: (settings) => ENVELOPE_OCTETS + requestOctets(settings) + UET_SEMANTIC_OCTETS,
  ackOctets: ENVELOPE_OCTETS + UET_ACK_CC_OCTETS,
  hasOwnControl: true,
  needsSharedBuffers: hasCredit,
  spreads: ({ entropies }) => entropies > 1,
  wire: (settings) => uetWire(hasCredit(settings)),
  problemOf: ({ nscc: { maxWindow } }, flow) => {
    const octets = Math.floor(maxWindow * productOf(flow));
    if (octets >= nominal(flow)) return null;
    const least = Math.ceil((100 * nominal(flow)) / productOf(flow)) / 100;
    const message =
      `${maxWindow} bandwidth-delay products are ${octets} bytes here, less than a packet ` +
      `(${nominal(flow)}); write ${least} or more`;
    return { key: ['nscc', 'maxWindow'], message };
  },
  autoWindow: ({ nscc }, flow) => {
    const packets = Math.ceil((TRACKED_WINDOWS * maxWindowOf(nscc, flow)) / nominal(flow));
    return Math.max(1, Math.min(packets, MOST_WINDOW, flow.packetsPerMessage * flow.messages));
  },
  accepts: (_spec, windowPackets) => windowPackets,
  plan: (settings, flow, windowPackets): UetSpec => {
    const { ackEvery, nscc, entropy, entropies, sleek, control } = settings;
    const { packetsPerMessage, messages, releasesMessages } = flow;
    const own = { policy: entropy, values: entropies };
    // A window may begin and end within messages.
    const remembered = Math.min(messages, 2 + Math.floor(windowPackets / packetsPerMessage));
    return {
      kind: UET,
      ackEvery,
      fullOctets: nominal(flow),
      lastOctets: flow.lastPayload + NOMINAL_OCTETS,
      entropy: own,
      nscc: planNscc(nscc, flow),
      hasWindow: control !== 'rccc',
      credit: hasCredit(settings) ? planCredit(settings, flow) : null,
      askPs: Math.max(1, flow.roundTripPs),
      sleek: sleek === 'on' || (sleek === 'auto' && !flow.isCut),
      trackedPackets: windowPackets,
      sendingWords: sendingWords(windowPackets, entropyWords(own)),
      ...(releasesMessages && { rememberedMessages: remembered }),
    };
  },
  create: (tables, ends) => new Uet(tables, ends),
};

function hasCredit({ control }: UetSettings): boolean {
  return control !== 'nscc';
}

function requestOctets(settings: UetSettings): number {
  return hasCredit(settings) ? UET_CREDIT_REQUEST_OCTETS : UET_REQUEST_OCTETS;
}

function planCredit({ rccc }: UetSettings, flow: CarriedFlow): CreditSpec {
  const { maxCredit, grant, share } = rccc;
  return {
    maxCredit: Math.max(nominal(flow), maxCredit * productOf(flow)),
    grantUnits: Math.max(1, Math.round(grant / RECEIVED_UNIT)),
    share,
  };
}

function nominal({ packetPayload }: CarriedFlow): number {
  return packetPayload + NOMINAL_OCTETS;
}

/** Octets that a path holds in a round trip. */
function productOf({ roundTripPs, lineBps }: CarriedFlow): number {
  return roundTripPs === 0 ? LOCAL_OCTETS : (roundTripPs * lineBps) / (8 * PS_PER_S);
}

function maxWindowOf({ maxWindow }: NsccSettings, flow: CarriedFlow): number {
  return maxWindow * productOf(flow);
}

function planNscc(settings: NsccSettings, flow: CarriedFlow): NsccSpec {
  const { gamma, gain, adjust, adaptGate } = settings;
  const { packetPayload, roundTripPs } = flow;
  const scaled = packetPayload * (productOf(flow) / SCALE_OCTETS);
  const networkPs = Math.max(1, roundTripPs);
  const targetPs = settings.target ?? (flow.isCut ? CUT_TARGET : 1) * networkPs;
  return {
    packetOctets: nominal(flow),
    maxWindow: maxWindowOf(settings, flow),
    minWindow: nominal(flow),
    networkPs,
    targetPs,
    alpha: (settings.proportional * scaled * (targetPs / SCALE_PS)) / targetPs,
    fairIncrease: settings.fair * scaled,
    eta: settings.eta * scaled,
    fastScale: settings.fast * (productOf(flow) / SCALE_OCTETS),
    gamma,
    leastShare: 1 - settings.maxDecrease,
    adjustOctets: adjust * nominal(flow),
    gain,
    adaptGate,
    adaptDelayPs: settings.adaptDelay * targetPs,
  };
}
