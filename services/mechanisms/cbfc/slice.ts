import { VIRTUAL_CHANNELS } from '../../engine/wire/cf-update.js';
import { LINK_LAYER_VERSION } from '../../engine/wire/lldp/link-layer-tlvs.js';
import type { Path } from '../../settings/source-tree.js';
import type { FabricContext } from '../fabric-context.js';
import {
  type Advertisement,
  type AdvertisingPort,
  type MechanismSlice,
  NO_GRANT,
} from '../mechanism-slice.js';
import type { Places } from '../rate-control-slice.js';
import { cbfcCards } from './card.js';
import { cbfcConformance } from './conformance.js';
import { CbfcMechanism } from './mechanism.js';
import { channelCount, CbfcPlan } from './plan.js';
import type { CbfcTypes } from './results.js';
import { cbfcResults } from './results.js';
import type { CbfcSettings } from './settings.js';
import { CC_INTERVAL_PS, cbfcDeviceKeys, cbfcKeys } from './settings.js';

export const cbfc: MechanismSlice<CbfcTypes> = {
  name: 'cbfc',
  blocks: NO_GRANT,
  waits: {
    on: 'grants',
    shortage: (plan, device, port, { priority }) => plan.shortage(device, port, priority),
  },
  slot: 8,
  create: (tools) => new CbfcMechanism(tools),
  flowControl: { fallback: ({ fallback }) => fallback },
  section: {
    keys: cbfcKeys,
    help: 'Credit-based flow control (Ultra Ethernet) on the priorities with flowControl: cbfc.',
    helpOfChanges: 'Changes to credit-based flow control at this device.',
    keysOfDevices: cbfcDeviceKeys,
    check,
  },
  alsoCalled: ['credit based flow control', 'uec', 'ultra ethernet'],
  topic:
    'Credit-based flow control as Ultra Ethernet has it (UE 1.0, 5.2): a frame starts when its ' +
    'virtual channel has credits for it at the receiver. The receiver sends what it has freed ' +
    '(CF_Update, an ordered set of eight bytes between frames), the sender every 256us what it ' +
    'has consumed (CC_Update), both as cyclic counters, so that the next message repairs a lost ' +
    'one. `priorities: { 3: cbfc }`; details under `cbfc:`.',
  plan: (context) => new CbfcPlan(context),
  sizes: (plan, device) => plan.sizes(device),
  advertise,
  channelTerms: ({ device, port }, plan) => plan.termsAt(device, port),
  conformance: cbfcConformance,
  results: cbfcResults,
  cards: cbfcCards,
};

function check(section: Partial<CbfcSettings>, path: Path, places: Places): void {
  const { ccInterval, pools } = section;
  const { least, most } = CC_INTERVAL_PS;
  if (ccInterval !== undefined && (ccInterval < least || ccInterval > most)) {
    throw places.errorAt([...path, 'ccInterval'], 'out of range; a time from 1us to 250ms');
  }
  const pooled = (pools ?? []).flatMap(({ channels }) => channels);
  const twice = pooled.find((channel, n) => pooled.indexOf(channel) < n);
  if (twice === undefined) return;
  throw places.errorAt([...path, 'pools'], `channel ${twice} is in pools twice; once in one pool`);
}

/** What a port grants follows from the length and rate of its own link. */
function advertise(
  { device, port }: AdvertisingPort,
  { devices }: FabricContext<CbfcSettings>,
  plan: CbfcPlan,
): Advertisement {
  const { section } = devices[device];
  const direction = plan.directionAt(device, port);
  if (direction === null) return {};
  const { receiver, priorities, channelOf } = direction;
  const limits = new Uint32Array(VIRTUAL_CHANNELS);
  if (receiver.total === 0) limits.set(receiver.limits);
  return {
    linkLayer: { version: LINK_LAYER_VERSION, retry: false, credits: true },
    channelCredits: {
      channels: channelCount(section.channels),
      creditOctets: 1 << receiver.shift,
      overhead: receiver.overhead,
      total: receiver.total,
      lossless: priorities.reduce((mask, priority) => mask | (1 << channelOf[priority]), 0),
      limits,
    },
  };
}
