import type { FabricContext, LinkContext, PortPlace } from '../fabric-context.js';
import type { SfcBufferTerms } from './buffer.js';
import { sfcBufferTerms } from './buffer.js';

/** A queue that flows of the scenario share, and could fill. */
export interface SfcQueue extends PortPlace {
  readonly priority: number;
  /** By ingress port. */
  readonly ingresses: readonly SfcIngress[];
  /** Octets that may arrive while one octet leaves. */
  readonly arrivals: number;
}

interface SfcIngress {
  readonly port: number;
  /** Octets that may arrive here while one octet leaves. */
  readonly arrivals: number;
  /** Hosts, each with the egress ports of its frames, up to the queue. */
  readonly sources: readonly SfcSource[];
}

interface SfcSource {
  readonly host: number;
  readonly hops: readonly PortPlace[];
}

/** Size of the messages of a switch, and when they take effect. */
interface SfcTimes {
  readonly messageOctets: number;
  readonly processingPs: (host: number) => number;
}

/** Queues of a monitored priority to which more can arrive than leaves. */
export function sfcQueues(
  context: FabricContext,
  watched: (device: number) => readonly number[],
): SfcQueue[] {
  const { flows, devices } = context;
  const found = new Map<
    string,
    { place: PortPlace; priority: number; by: Map<number, SfcSource[]> }
  >();
  for (const { source: host, priority, hops } of flows) {
    const path = hops();
    path.forEach((place, i) => {
      if (i === 0 || !watched(place.device).includes(priority)) return;
      const key = `${place.device} ${place.port} ${priority}`;
      const queue = found.get(key) ?? { place, priority, by: new Map<number, SfcSource[]>() };
      found.set(key, queue);
      const via = linkAt(context, path[i - 1]).peerPort;
      const sources = queue.by.get(via) ?? [];
      queue.by.set(via, sources);
      if (sources.some((known) => known.host === host)) return;
      sources.push({ host, hops: path.slice(0, i) });
    });
  }
  return [...found.values()].flatMap(({ place: { device, port }, priority, by }) => {
    const { octetPs } = devices[device].links[port];
    const ingresses = [...by].map(([via, sources]): SfcIngress => {
      const sent = sources.reduce(
        (sum, { hops }) => sum + octetPs / linkAt(context, hops[0]).octetPs,
        0,
      );
      const carried = octetPs / devices[device].links[via].octetPs;
      return { port: via, arrivals: Math.min(sent, carried), sources };
    });
    const arrivals = ingresses.reduce((sum, ingress) => sum + ingress.arrivals, 0);
    return arrivals > 1 ? [{ device, port, priority, ingresses, arrivals }] : [];
  });
}

/**
 * What may arrive at a queue between its threshold and the pause of the farthest of some sources.
 */
export function sfcLoop(
  context: FabricContext,
  queue: SfcQueue,
  ingresses: readonly SfcIngress[],
  { messageOctets, processingPs }: SfcTimes,
): SfcBufferTerms {
  const { devices, longestFrameOctets } = context;
  const frameOctets = longestFrameOctets[queue.priority];
  const inTheWayOctets = Math.max(...longestFrameOctets);
  const { octetPs } = devices[queue.device].links[queue.port];
  const loops = ingresses.flatMap(({ sources }) =>
    sources.map(({ host, hops }) =>
      sfcBufferTerms({
        senders: queue.arrivals,
        octetPs,
        links: hops.map((hop) => {
          const { octetPs: ofLink, latencyPs } = linkAt(context, hop);
          return { octetPs: ofLink, latencyPs, inTheWayOctets };
        }),
        pipelinePs: Math.max(
          devices[queue.device].pipelinePs,
          ...hops.slice(1).map(({ device }) => devices[device].pipelinePs),
        ),
        processingPs: processingPs(host),
        messageOctets,
        frameOctets,
      }),
    ),
  );
  return loops.reduce((a, b) => (b.totalOctets > a.totalOctets ? b : a));
}

function linkAt({ devices }: FabricContext, { device, port }: PortPlace): LinkContext {
  return devices[device].links[port];
}
