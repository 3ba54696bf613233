import { PS_PER_NS } from '../../engine/units/time.js';
import type { DeviceView, ManagedObjects, YangContainer } from '../managed-objects.js';
import { bitsOf, counterLeaves, uint64 } from '../managed-objects.js';
import { sfcManagedValues } from './managed.js';
import type { SfcSender } from './sender.js';
import type { SfcPortSpec } from './spec.js';
import { sfcPointOf } from './results.js';

/** Of the module `selvage-sfc`; null where a device has no source flow control. */
export function sfcManagedObjects({ engine, place }: DeviceView): ManagedObjects | null {
  const point = sfcPointOf(engine, place);
  if (point === null) return null;
  const { counters, sender, station } = point;
  const role: YangContainer =
    sender !== null
      ? { bridge: bridgeObjects(sender) }
      : { station: { 'sfc-scope': station!.spec.scope } };
  return {
    device: { ...role, ...counterLeaves(sfcManagedValues(counters)) },
    ports: sender === null ? [] : sender.spec.ports.map(portObjects),
  };
}

function bridgeObjects({ spec, table }: SfcSender): YangContainer {
  return {
    'sfc-monitor-queue': bitsOf(spec.monitorQueues),
    'sfc-min-interval': uint64(spec.minIntervalPs),
    'queue-interval': uint64(spec.queueIntervalPs),
    'sfc-pause-min': uint64(spec.pauseMinNs * PS_PER_NS),
    'sfc-pause-max': uint64(spec.pauseMaxNs * PS_PER_NS),
    'sfc-resume': spec.resume,
    'sends-while-paused': spec.sendsWhilePaused,
    'sfc-max-sources': spec.maxSources,
    'sfc-sources': table.ages.count,
    'sfc-source-life': uint64(spec.sourceLifePs),
    'sfc-min-header-octets': spec.minHeaderOctets,
    'sfc-tx-priority': spec.txPriority,
    'sfc-encapsulation': spec.encapsulation,
  };
}

function portObjects({ detector, targetOctets, proxy }: SfcPortSpec): YangContainer {
  return {
    ...(detector.kind === 'threshold' && { 'sfc-threshold': uint64(detector.octets) }),
    'sfc-target': uint64(targetOctets),
    'sfc-proxy': proxy,
  };
}
