import { ALL_PRIORITIES } from '../../engine/units/ethernet.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import { blankCongestionIsolation } from '../../engine/wire/lldp/capability-tlvs.js';
import type { MechanismTlvs } from '../../engine/wire/lldp/mechanism-tlvs.js';
import { flag } from '../../settings/parts.js';
import type { FabricContext } from '../fabric-context.js';
import type { AdvertisingPort, MechanismSlice } from '../mechanism-slice.js';
import { ciCards } from './card.js';
import { ciConformance } from './conformance.js';
import { watchedOf } from '../mechanism-slice.js';
import { CiMechanism } from './mechanism.js';
import { CiPlan } from './plan.js';
import type { CiTypes } from './results.js';
import { ciResults } from './results.js';
import type { CiSettings } from './settings.js';
import { ciKeys } from './settings.js';
import { ciManagedObjects, ciPublishedObjects } from './yang.js';

export const ci: MechanismSlice<CiTypes> = {
  name: 'ci',
  waits: { on: 'order' },
  slot: 6,
  create: (tools) => new CiMechanism(tools),
  section: {
    keys: ciKeys,
    help: 'Congestion isolation on the priorities that have ci: true (802.1Qcz).',
    helpOfChanges: 'Changes to congestion isolation at this switch.',
  },
  priority: {
    schema: flag()
      .describe('Flows that congest this priority get a queue of their own (congestion isolation).')
      .prefault(false),
    isFlag: true,
  },
  alsoCalled: ['802.1qcz', 'congestion isolation'],
  topic:
    'Congestion isolation (802.1Qcz): flows that congest a queue get one of their own, here and ' +
    'at the upstream switch, which receives a message (CIM). PFC then pauses that queue alone. ' +
    '`priorities: { 2: pfc, 3: { flowControl: pfc, ci: true } }`; details under `ci:`.',
  table: 'streams of congestion isolation',
  fixedClasses: ({ enable }, watched, isHost) =>
    !isHost && watched !== 0 && enable ? ALL_PRIORITIES : 0,
  companions: ({ priority }) => [priority],
  managed: ciManagedObjects,
  published: ciPublishedObjects,
  plan: (context) => new CiPlan(context),
  advertise,
  conformance: ciConformance,
  results: ciResults,
  cards: ciCards,
};

function advertise(
  { device: index }: AdvertisingPort,
  context: FabricContext<CiSettings>,
): Partial<MechanismTlvs> {
  const { devices, hostCount, transmit } = context;
  const device = devices[index];
  const own = device.section;
  const monitored = watchedOf(device);
  if (index < hostCount || !own.enable || monitored.length === 0) return {};
  const queueMap = transmit.map(() => 0);
  for (const priority of monitored) queueMap[priority] = transmit[priority] + 1;
  queueMap[own.priority] = -(transmit[own.priority] + 1);
  return {
    congestionIsolation: {
      ...blankCongestionIsolation(),
      queueMap,
      encapsulationOctets: own.quote,
      mac: readU48(device.address(), 0),
    },
  };
}
