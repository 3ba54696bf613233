import { SEND } from '../../engine/contract/operations.js';
import { wireOctets } from '../../engine/units/ethernet.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { framingOf } from '../../fabric/assembly/framing.js';
import type { Job } from '../../fabric/load/job.js';
import { type MessageTimes, rooflineOf } from '../../jobs/roofline.js';

/** The roofline of a job on the hosts of a fabric; null: some message has no time of its own. */
export function rooflinePs(fabric: Fabric, job: Job): number | null {
  const times = timesOf(fabric, job);
  return times && Math.round(rooflineOf({ ...job, times }));
}

function timesOf({ flows, flowEnds, linkEnds }: Fabric, job: Job): MessageTimes | null {
  const { graph, flowOf, boxPs, boxOctetPs } = job;
  const column = (): Float64Array => new Float64Array(graph.count);
  const times = {
    ...{ crossPs: column(), sendingPs: column(), receivingPs: column(), handedPs: column() },
  };
  for (let one = 0; one < graph.count; one++) {
    if (graph.kind[one] !== SEND) continue;
    const flow = flows[flowOf[one]!];
    if (flow === undefined) {
      times.crossPs[one] = boxPs + Math.round(graph.amount[one]! * boxOctetPs);
      continue;
    }
    const { idealPs } = flowEnds[flowOf[one]!]!;
    if (idealPs === null) return null;
    const { packetsPerMessage, fullFrameOctets, lastFrameOctets } = framingOf(flow);
    const beforeLast = (packetsPerMessage - 1) * wireOctets(fullFrameOctets);
    const octets = beforeLast + wireOctets(lastFrameOctets);
    const { octetPs: sendPs } = linkEnds[flow.source]![0]!;
    const { octetPs: receivePs } = linkEnds[flow.destination]![0]!;
    times.crossPs[one] = idealPs;
    times.sendingPs[one] = octets * sendPs;
    times.receivingPs[one] = octets * receivePs;
    times.handedPs[one] = beforeLast * sendPs;
  }
  return times;
}
