import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';

/**
 * Where the frames of a flow are blocked, by the state of the fabric at the end of a run: the port
 * whose link is down, or the switch that has no route. Null if they reach all destinations.
 */
export function unreachableAt(fabric: Fabric, engine: Engine, flow: number): string | null {
  const { send, receives } = fabric.flowEnds[flow]!;
  const host = fabric.specs[send.device]!;
  if (host.kind !== 'host') return null;
  const { hash, target } = host.sends[send.connection]!;
  const isGroup = fabric.flows[flow]!.group;
  const reached = new Set<number>();
  const visited = new Set<number>();
  let where: string | null = null;
  const visit = (device: number, came: number, ports: readonly number[]): void => {
    if (visited.has(device)) return;
    visited.add(device);
    const onward = ports.filter((port) => port !== came);
    if (onward.length === 0) where ??= fabric.topology.devices[device]!.name;
    for (const port of onward) {
      const end = fabric.linkEnds[device]![port]!;
      if (isDown(engine, device, port)) {
        where ??= end.name;
        continue;
      }
      const { peerDevice, peerPort } = end;
      const spec = fabric.specs[peerDevice]!;
      if (spec.kind === 'host') reached.add(peerDevice);
      else visit(peerDevice, peerPort, portsAt(engine, peerDevice, target, hash, isGroup));
    }
  };
  visit(send.device, -1, [0]);
  return receives.every(({ device }) => reached.has(device)) ? null : where;
}

function isDown({ devices, faults }: Engine, device: number, port: number): boolean {
  return faults.isDown(devices[device]!.firstPort + port);
}

function portsAt(
  { devices, switching }: Engine,
  device: number,
  target: number,
  hash: number,
  isGroup: boolean,
): readonly number[] {
  const { forwarding } = switching.parts(devices[device]!.place);
  return isGroup ? forwarding.portsOfGroup(target) : forwarding.portsTo(target, hash);
}
