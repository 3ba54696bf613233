import { readU48 } from '../../engine/wire/big-endian.js';
import { blankSourceFlowControl } from '../../engine/wire/lldp/capability-tlvs.js';
import type { MechanismTlvs } from '../../engine/wire/lldp/mechanism-tlvs.js';
import { flag } from '../../settings/parts.js';
import type { Path } from '../../settings/source-tree.js';
import type { FabricContext } from '../fabric-context.js';
import type { AdvertisingPort, MechanismSlice, MemorySize, SizeTerm } from '../mechanism-slice.js';
import { sfcCards } from './card.js';
import { sfcConformance } from './conformance.js';
import { maskOf, watchedOf } from '../mechanism-slice.js';
import type { Places } from '../rate-control-slice.js';
import { sfcmTemplate } from './message-template.js';
import { SfcMechanism } from './mechanism.js';
import type { SfcSize } from './plan.js';
import { encapsulationOf, SfcPlan } from './plan.js';
import type { SfcTypes } from './results.js';
import { sfcResults } from './results.js';
import type { SfcSettings } from './settings.js';
import { sfcKeys } from './settings.js';
import { sfcManagedObjects } from './yang.js';

export const sfc: MechanismSlice<SfcTypes> = {
  name: 'sfc',
  blocks: 'paused',
  waits: { on: 'queue' },
  onePath: 'a message pauses a source for one queue, and its next frames take other paths',
  slot: 3,
  create: (tools) => new SfcMechanism(tools),
  section: {
    keys: sfcKeys,
    help: 'Source flow control on the priorities that have sfc: true (P802.1Qdw).',
    helpOfChanges:
      'Changes to source flow control at this device: what it can do, and when it acts.',
    check: checkDetector,
  },
  priority: {
    schema: flag()
      .describe(
        'Congested queues of this priority send SFCMs that pause the sources (source flow ' +
          'control).',
      )
      .prefault(false),
    isFlag: true,
  },
  alsoCalled: ['802.1qdw', 'qdw', 'source flow control'],
  topic:
    'Source flow control (P802.1Qdw): a switch whose queue is congested sends a message to ' +
    'the source, which pauses for a time; where a host does not support it, its ToR switch ' +
    'terminates the message and pauses the host by PFC (proxy). ' +
    '`priorities: { 3: { flowControl: pfc, sfc: true ' +
    '} }`; details under `sfc:`.',
  table: 'sources',
  template: sfcmTemplate,
  fixedClasses: (_section, watched) => watched,
  leastPausePs: ({ pause, pauseMin }) => (pause === 'auto' ? pauseMin : Infinity),
  messagePriority: ({ priority }) => priority,
  plan: (context) => new SfcPlan(context),
  managed: sfcManagedObjects,
  sizes: (plan, device) => plan.sizesOf(device).map(memoryOf),
  advertise,
  conformance: sfcConformance,
  results: sfcResults,
  cards: sfcCards,
};

/** Above the threshold of a queue: what arrives within the loop, less what leaves meanwhile. */
function memoryOf(size: SfcSize): MemorySize {
  const { port, priority, arrivals, loop, thresholdOctets, targetOctets, nearest } = size;
  const { detectionPs, upPs, downPs, totalOctets } = loop;
  const loopPs = detectionPs + upPs + downPs;
  const term = (name: string, meaning: string, ps: number): SizeTerm => ({
    ...{ term: name, meaning, ps },
    octets: Math.round((totalOctets * ps) / loopPs),
  });
  const rest = `of ${arrivals.toFixed(2)} bytes that arrive for each that leaves`;
  return {
    ...{ title: 'SFC buffer above the threshold', port, priority },
    terms: [
      term('detection', `a frame of each source, ${rest}`, detectionPs),
      term('up', 'message to the farthest source, and its processing there', upPs),
      term('down', 'frame that the source had begun, to the queue', downPs),
    ],
    neededOctets: totalOctets,
    givenOctets: null,
    thresholds: {
      ...(thresholdOctets !== null && { threshold: thresholdOctets }),
      target: targetOctets,
      ...(nearest !== null && {
        charged: nearest.thresholdOctets + nearest.loopOctets,
        xoff: nearest.xoffOctets,
      }),
    },
  };
}

function checkDetector({ detect }: Partial<SfcSettings>, path: Path, places: Places): void {
  if (typeof detect !== 'object' || !('min' in detect) || detect.min < detect.max) return;
  throw places.errorAt([...path, 'detect', 'max'], 'max is not above min');
}

function advertise(
  { device: index }: AdvertisingPort,
  { devices, hostCount }: FabricContext<SfcSettings>,
): Partial<MechanismTlvs> {
  const device = devices[index];
  const own = device.section;
  const monitored = maskOf(watchedOf(device));
  if (monitored === 0) return {};
  const isBridge = index >= hostCount;
  const encapsulation = encapsulationOf(own);
  return {
    sourceFlowControl: {
      ...blankSourceFlowControl(),
      sends: isBridge && own.send,
      proxy: isBridge && own.proxy !== 'off',
      responds: !isBridge && own.receive,
      layer2: encapsulation === 'ethernet',
      ipv4: encapsulation === 'ipv4',
      ipv6: encapsulation === 'ipv6',
      monitored,
      mac: readU48(device.address(), 0),
    },
  };
}
