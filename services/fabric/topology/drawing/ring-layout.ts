import { adjacencyOf } from '../adjacency.js';
import type { Topology } from '../topology.js';

/** More switches than this do not fit around a circle that a page shows whole. */
const SWITCHES_MAX = 24;
const SWITCHES_MIN = 3;

/** Around a circle: clear distance of switches, and of hosts from their switch. */
const GAP = { across: 26, down: 20, hosts: 34 };

/** What the boxes of a switch and of its hosts need. */
interface RingSizes {
  readonly switch: Size;
  /** All hosts of a switch, side by side, where it has most. */
  readonly hosts: Size;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Middles of a switch and of the row of its hosts, in the order of the ring. */
interface RingPlace {
  readonly x: number;
  readonly y: number;
  readonly hostsX: number;
  readonly hostsY: number;
}

/**
 * The switches in the order of the ring that they form, and null where they do not: two leaves
 * below two spines are cabled in a circle, too.
 */
export function ringOf(topology: Topology, layers: readonly number[]): number[] | null {
  const order = circleOf(topology);
  if (order === null) return null;
  const isTiered = order.every((device, i) => {
    return layers[device] !== layers[order[(i + 1) % order.length]!];
  });
  return isTiered ? null : order;
}

function circleOf(topology: Topology): number[] | null {
  const { hosts, firstSlot, peer } = adjacencyOf(topology);
  const count = topology.devices.length - hosts;
  if (count < SWITCHES_MIN || count > SWITCHES_MAX) return null;
  const peersOf = (device: number): number[] =>
    [...new Set(peer.subarray(firstSlot[device], firstSlot[device + 1]))].filter(
      (one) => one >= hosts,
    );
  const order = [hosts];
  for (let at = hosts, before = -1; ;) {
    const peers = peersOf(at);
    if (peers.length !== 2) return null;
    // From the first switch on to the peer with the lower number: as they are counted.
    const next = before === -1 ? Math.min(...peers) : peers.find((one) => one !== before)!;
    if (next === hosts) return order.length === count ? order : null;
    if (order.length === count) return null;
    order.push(next);
    [before, at] = [at, next];
  }
}

/** Where the switches of a ring and their hosts are, clockwise from the top. */
export function placeRing(
  count: number,
  sizes: RingSizes,
): { readonly places: readonly RingPlace[]; readonly width: number; readonly height: number } {
  const wide = Math.max(sizes.switch.width, sizes.hosts.width) + GAP.across;
  const high = sizes.switch.height + sizes.hosts.height + GAP.down;
  // Switches at the top and foot are side by side, those at the sides above each other.
  const step = Math.sin(Math.PI / count) * 2;
  const radiusX = Math.max(wide, wide / step);
  const radiusY = Math.max(90, high / step);
  const away = {
    x: (sizes.switch.width + sizes.hosts.width) / 2 + GAP.hosts,
    y: (sizes.switch.height + sizes.hosts.height) / 2 + GAP.hosts,
  };
  const hasHosts = sizes.hosts.width > 0;
  const [outerX, outerY] = hasHosts ? [radiusX + away.x, radiusY + away.y] : [radiusX, radiusY];
  const edge = hasHosts ? sizes.hosts : sizes.switch;
  const middle = { x: outerX + edge.width / 2, y: outerY + edge.height / 2 };
  const places = Array.from({ length: count }, (_, i): RingPlace => {
    const angle = ((2 * i) / count - 0.5) * Math.PI;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return {
      ...{ x: middle.x + radiusX * cos, y: middle.y + radiusY * sin },
      ...{ hostsX: middle.x + outerX * cos, hostsY: middle.y + outerY * sin },
    };
  });
  return { places, width: 2 * middle.x, height: 2 * middle.y };
}
