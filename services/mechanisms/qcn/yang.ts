import type { DeviceView, ManagedObjects } from '../managed-objects.js';
import { bitsOf, uint64 } from '../managed-objects.js';
import { QcnMechanism } from './mechanism.js';
import { QcnSwitch } from './switch.js';

/** Of the module `selvage-qcn`; null where a device has no congestion points. */
export function qcnManagedObjects({ engine, place }: DeviceView): ManagedObjects | null {
  const role = engine.rolesOf(place)['qcn'];
  if (!(role instanceof QcnSwitch)) return null;
  const { spec } = role;
  const { points } = engine.given.find((mechanism) => mechanism instanceof QcnMechanism)!;
  const { firstPort } = engine.devices[place];
  const cnpvs = bitsOf(spec.priorities);
  return {
    device: {
      cnpv: cnpvs,
      'cnm-transmit-priority': spec.messagePriority,
      'cp-min-header-octets': spec.minHeaderOctets,
    },
    ports: spec.ports.map(({ setPointOctets, weight, sampleOctets, defence }, local) => ({
      'defence-mode': defence,
      'congestion-point': cnpvs.map((cnpv) => {
        const port = firstPort + local;
        const trafficClass = engine.shared.ports.classOf(port, cnpv);
        return {
          cnpv,
          'cp-qsp': uint64(setPointOctets),
          'cp-weight': weight.toFixed(9),
          'cp-sample-base': uint64(sampleOctets),
          'sampled-frames': uint64(points.samples(port, trafficClass)),
          'cp-transmitted-cnms': uint64(points.messages(port, trafficClass)),
        };
      }),
    })),
  };
}
