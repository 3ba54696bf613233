import { chooseEqual, saltOf } from '../../engine/device/switch/router.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';

/** Of each fabric, by flow, what has been asked for: results, trees and pages ask for the same. */
const known = new WeakMap<Fabric, Map<number, ReadonlySet<string>>>();

/** The names of all ports by which a flow's frames may leave. */
export function portsOfFlow(fabric: Fabric, flow: number): ReadonlySet<string> {
  let paths = known.get(fabric);
  if (paths === undefined) {
    paths = new Map();
    known.set(fabric, paths);
  }
  let names = paths.get(flow);
  if (names === undefined) {
    names = pathOf(fabric, flow);
    paths.set(flow, names);
  }
  return names;
}

function pathOf(fabric: Fabric, flow: number): Set<string> {
  const { send, receives } = fabric.flowEnds[flow]!;
  const spec = fabric.specs[send.device]!;
  const names = new Set<string>();
  if (spec.kind !== 'host') return names;
  const { hash, target } = spec.sends[send.connection]!;
  const targets = new Set(receives.map(({ device }) => device));
  const { group: isGroup, transport } = fabric.flows[flow]!;
  const spreads = transport.kind === 'reliable' && transport.spreads;
  const visit = (device: number, came: number, ports: readonly number[]): void => {
    for (const port of ports) {
      const end = fabric.linkEnds[device]![port]!;
      if (port === came || names.has(end.name)) continue;
      names.add(end.name);
      if (targets.has(end.peerDevice)) continue;
      const next = egressesOf(fabric, end, { target, hash, isGroup, spreads });
      visit(end.peerDevice, end.peerPort, next);
    }
  };
  visit(send.device, -1, [0]);
  return names;
}

/** Fields of frames that decide where they go. */
interface Forwarded {
  readonly target: number;
  readonly hash: number;
  readonly isGroup: boolean;
  /** They take all equal-cost ports, whatever switches do. */
  readonly spreads: boolean;
}

/** Of the device at the other end of a link, by which they arrive. */
function egressesOf(
  fabric: Fabric,
  { peerDevice: device, peerPort: came }: LinkEnd,
  { target, hash, isGroup, spreads }: Forwarded,
): readonly number[] {
  const spec = fabric.specs[device]!;
  if (spec.kind === 'host') return [];
  if (spec.forwarding.kind === 'bridged') {
    // Bridges have one path to each station: they would flood forever otherwise.
    const { setOfHost, sets } = fabric.routes.of(device);
    return isGroup ? spec.ports.map((_, port) => port) : [...(sets[setOfHost[target]!] ?? [])];
  }
  const { routes, balancing } = spec.forwarding;
  if (isGroup) return (routes.groupPorts[target] ?? []).filter((port) => port !== came);
  const set = routes.sets[routes.setOfHost[target]!] ?? [];
  if (spreads || balancing !== null || set.length < 2) return [...set];
  return [set[chooseEqual(hash, saltOf(spec.index), set.length)]!];
}
