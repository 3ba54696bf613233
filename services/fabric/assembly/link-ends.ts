import { rateOfBps } from '../../engine/units/rates.js';
import { adjacencyOf, portCount } from '../topology/adjacency.js';
import type { Topology, TopologyLink } from '../topology/topology.js';
import { portName } from '../topology/topology.js';

/** A port with its link. */
export interface LinkEnd {
  readonly device: number;
  readonly port: number;
  readonly name: string;
  readonly peerDevice: number;
  readonly peerPort: number;
  readonly link: TopologyLink;
  readonly octetPs: number;
  /** From a bit leaving this port to the same bit at the peer's MAC. */
  readonly latencyPs: number;
}

/** By device, then port. */
export function linkEndsOf(topology: Topology): LinkEnd[][] {
  const adjacency = adjacencyOf(topology);
  return topology.devices.map((_, device) =>
    Array.from({ length: portCount(adjacency, device) }, (_, port) => {
      const slot = adjacency.firstSlot[device]! + port;
      const link = topology.links[adjacency.link[slot]!]!;
      return {
        device,
        port,
        name: portName(topology, { device, port }),
        peerDevice: adjacency.peer[slot]!,
        peerPort: adjacency.peerPort[slot]!,
        link,
        octetPs: octetPsOf(link),
        // One direction crosses the transmit part of one interface and the receive part of another.
        latencyPs: link.propagationPs + link.interfaceDelayPs,
      };
    }),
  );
}

function octetPsOf({ rateBps }: TopologyLink): number {
  const rate = rateOfBps(rateBps);
  if (rate === undefined) throw new Error(`${rateBps} bit/s is no rate of Ethernet`);
  return rate.psPerOctet;
}
