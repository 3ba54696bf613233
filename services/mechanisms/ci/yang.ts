import { readU48 } from '../../engine/wire/big-endian.js';
import { PS_PER_MS } from '../../engine/units/time.js';
import type {
  DeviceView,
  ManagedObjects,
  PublishedObjects,
  YangContainer,
} from '../managed-objects.js';
import { bitsOf, counterLeaves, macOf, uint64 } from '../managed-objects.js';
import { ciManagedValues } from './managed.js';
import { ciPointOf } from './results.js';
import type { CiSwitchSpec } from './spec.js';

/** Of the module `selvage-ci`; null where a device does not isolate flows. */
export function ciManagedObjects({ engine, place }: DeviceView): ManagedObjects | null {
  const point = ciPointOf(engine, place);
  if (point === null) return null;
  const { spec, table, counters } = point;
  return {
    device: {
      'ci-master-enable': true,
      'ci-cim-tx-priority': spec.txPriority,
      'ci-max-flow-life': uint64(spec.maxFlowLifePs),
      'cip-monitored-queue': bitsOf(spec.monitorQueues),
      'cip-congesting-priority': spec.priority,
      'cip-min-header-octets': spec.minHeaderOctets,
      'cip-max-cim': spec.maxCim,
      'max-ci-stream-entries': spec.maxStreams,
      'ci-stream-entries': table.ages.count,
      ...counterLeaves(ciManagedValues(counters)),
    },
    ports: spec.ports.map(({ isolates, thresholdOctets, lowOctets }) => ({
      isolates,
      'detection-threshold': uint64(thresholdOctets),
      'uncongested-threshold': uint64(lowOctets),
    })),
  };
}

const MODULE = 'ieee802-dot1q-congestion-isolation-bridge';
const PS_PER_CENTISECOND = 10 * PS_PER_MS;

/** Of the module of 802.1Qcz, which augments the component and the ports of a bridge. */
export function ciPublishedObjects({ engine, place }: DeviceView): PublishedObjects | null {
  const point = ciPointOf(engine, place);
  if (point === null) return null;
  const { spec } = point;
  const { ports } = engine.devices[place].spec;
  const address = readU48(spec.address, 0);
  return {
    address,
    component: {
      [`${MODULE}:ci-master-enable`]: true,
      [`${MODULE}:ci-cim-tx-priority`]: spec.txPriority,
      [`${MODULE}:ci-max-flow-life`]: Math.round(spec.maxFlowLifePs / PS_PER_CENTISECOND),
      [`${MODULE}:max-ci-stream-entries`]: spec.maxStreams,
    },
    ports: ports.map(({ classOf }, port) => ({
      [`${MODULE}:cip-mac-address`]: macOf(address),
      [`${MODULE}:queue-map`]: queueMap(classOf, spec, spec.ports[port].isolates),
      [`${MODULE}:min-header-octets`]: spec.minHeaderOctets,
      [`${MODULE}:max-cim-tx`]: spec.maxCim,
    })),
  };
}

/** By priority: its queue is monitored, congesting, or neither (49.4.1.2.5). */
function queueMap(
  classOf: readonly number[],
  { monitorQueues, priority: congesting }: CiSwitchSpec,
  isolates: boolean,
): YangContainer[] {
  return classOf.map((own, priority): YangContainer => {
    const isMonitored = isolates && (monitorQueues & (1 << own)) !== 0;
    const isCongesting = isolates && priority === congesting;
    const kind = isCongesting ? 'congesting' : 'monitored';
    const takesPart = isCongesting || isMonitored;
    return {
      priority,
      'abs-traffic-class-plus-one': takesPart
        ? `${kind}-queue-tc-${own + 1}`
        : 'not-participating-congestion-isolation',
    };
  });
}
