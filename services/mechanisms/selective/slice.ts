import { PS_PER_S } from '../../engine/units/time.js';
import { SELECTIVE_ACK_OCTETS } from '../../engine/wire/selective-ack.js';
import type { CarriedFlow, TransportSlice } from '../transport-slice.js';
import { Selective } from './mechanism.js';
import {
  completeSelective,
  MOST_WINDOW,
  type SelectiveInput,
  selectiveSettings,
  type SelectiveSettings,
} from './settings.js';
import { SELECTIVE, type SelectiveSpec } from './spec.js';

/** Where no link is between the ends. */
const LOCAL_PACKETS = 64;

export const selective: TransportSlice<SelectiveInput, SelectiveSettings> = {
  kind: SELECTIVE,
  name: 'selective',
  title: 'selective repeat',
  order: 'window',
  settings: selectiveSettings,
  complete: completeSelective,
  variants: { irn: { keys: { preset: 'irn' } } },
  help: 'RoCE-like transport that accepts packets in any order, with settings.',
  alsoCalled: ['selective repeat', 'sack', 'irn', 'out of order', 'reordering'],
  topic:
    'Selective repeat: the receiver keeps packets that come out of order, and says which it has ' +
    '(SACK); the sender sends again only what is missing. So switches may spray packets. ' +
    '`transport: selective`; `{ selective: { preset: irn } }` has the rules of IRN.',
  furtherAckOctets: SELECTIVE_ACK_OCTETS,
  check: ({ timeout, lowTimeout }, path, places) => {
    if (lowTimeout === undefined || lowTimeout <= timeout) return;
    const message = 'lowTimeout is above timeout, which applies to more packets';
    const key = places.has([...path, 'lowTimeout']) ? 'lowTimeout' : 'timeout';
    throw places.errorAt([...path, key], message);
  },
  autoWindow: ({ windowProducts }, flow) => {
    const packets = Math.ceil(windowProducts * packetsOfProduct(flow));
    return Math.max(1, Math.min(packets, MOST_WINDOW, flow.packetsPerMessage * flow.messages));
  },
  accepts: (spec, windowPackets) => Math.min(windowPackets, (spec as SelectiveSpec).reorderPackets),
  plan: (settings, flow, windowPackets): SelectiveSpec => {
    const { ackEvery, reorder } = settings;
    const { packetsPerMessage, messages, releasesMessages } = flow;
    const auto = flow.isLossless ? windowPackets : Math.ceil(packetsOfProduct(flow));
    const reorderPackets = reorder === 'auto' ? auto : reorder;
    // A window may begin and end within messages.
    const remembered = Math.min(messages, 2 + Math.floor(windowPackets / packetsPerMessage));
    return {
      kind: SELECTIVE,
      ...{ ackEvery, reorderPackets },
      trackedPackets: windowPackets,
      ...(releasesMessages && { rememberedMessages: remembered }),
    };
  },
  create: (tables, ends) => new Selective(tables, ends),
};

/** Packets of full length that a path holds in a round trip. */
function packetsOfProduct({ roundTripPs, lineBps, packetOctets }: CarriedFlow): number {
  if (roundTripPs === 0) return LOCAL_PACKETS;
  return (roundTripPs * lineBps) / (8 * PS_PER_S * packetOctets);
}
