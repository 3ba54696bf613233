import type { DeviceView, ManagedObjects } from '../managed-objects.js';
import { bitsOf, counterLeaves, uint64 } from '../managed-objects.js';
import { ciManagedValues } from './managed.js';
import { ciPointOf } from './results.js';

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
