import { TRAFFIC_CLASSES } from '../units/ethernet.js';
import type { ForgedMessage, TableKind } from '../contract/fault.js';
import { DROP } from '../contract/probe.js';
import type { FaultTools } from '../faults/fault-mechanism.js';
import { PORT } from '../frame/frame-pool.js';
import type { Device } from './device.js';
import { DID_FAULT } from './device.js';
import type { DeviceParts } from './parts.js';
import type { Shared } from './shared.js';
import type { TrafficClass } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/** Effects of faults on a device. */
export function makeFaultTools(
  shared: Shared,
  devices: readonly Device[],
  { set, starting, egressPath, switching, hosting }: DeviceParts,
): FaultTools {
  const { all: mechanisms, discovery, failover } = set;
  const { clock, ports, pool, queues, buffer, digests } = shared;

  function wake(port: number): void {
    egressPath.wakeTransmitter(ports.owner(port), port);
  }

  function linkDown(port: number): void {
    failover.carrier(port, false);
    for (const mechanism of mechanisms) mechanism.linkDown?.(port);
    hosting.carrier(ports.owner(port), false);
  }

  function linkUp(port: number): void {
    failover.carrier(port, true);
    hosting.carrier(ports.owner(port), true);
    for (const mechanism of mechanisms) mechanism.linkUp?.(port);
    starting.permit(port);
  }

  function flush(port: number): void {
    const d = ports.owner(port);
    const { spec, firstPort } = devices[d];
    if (spec.kind !== 'switch') return;
    spec.ports.forEach((_, p) => {
      for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) flushQueue(d, firstPort + p, tc);
      for (const mechanism of mechanisms) mechanism.forget?.(firstPort + p);
    });
    switching.parts(d).forwarding.forget();
  }

  function flushQueue(d: number, port: number, trafficClass: TrafficClass): void {
    starting.collect(port, trafficClass);
    while (queues.head(port, trafficClass) >= 0) loseFirst(d, port, trafficClass);
  }

  function loseFirst(d: number, port: number, trafficClass: TrafficClass): void {
    const frame = queues.shift(port, trafficClass);
    assert(ports.owner(pool.words[frame + PORT]) === d, 'fault.flushed-frame-of-device');
    const { firstPort, listeners } = devices[d];
    listeners.frameDiscarded?.frameDiscarded(d, port - firstPort, clock.now, pool, frame);
    switching.free(port, trafficClass, frame);
    egressPath.lose(d, pool.words[frame + PORT], frame, DROP.DEVICE_RESET);
  }

  function forge(port: number, message: ForgedMessage, octets: Uint8Array): boolean {
    const d = ports.owner(port);
    assert(octets.length > 0, 'fault.forged-octets');
    const stamped = { ...message, bornPs: clock.now };
    if (devices[d].spec.kind === 'host') return hosting.sendMessage(d, stamped, octets);
    switching.sendMessage(port, stamped, octets, octets.length);
    return true;
  }

  function limit(port: number, table: TableKind, entries: number): void {
    const { forwarding, roles } = switching.parts(ports.owner(port));
    if (table === 'mac') forwarding.limit(entries);
    else roles[table]?.limit?.(entries);
  }

  function note(port: number, fault: number, began: boolean): void {
    const d = ports.owner(port);
    const local = port - devices[d].firstPort;
    digests.mix(d, DID_FAULT | local, (fault << 1) | (began ? 1 : 0));
  }

  return {
    wake,
    linkDown,
    linkUp,
    flush,
    change: (port, change) => {
      buffer.change(devices[ports.owner(port)].firstPort, change);
    },
    shrink: buffer.shrink,
    steal: (port, priorities, octets) => {
      for (const mechanism of mechanisms) mechanism.steal?.(port, priorities, octets);
    },
    forge,
    limit,
    drift: (port, ppm) => {
      discovery.drift(port, ppm);
    },
    read: (port, octetPs) => {
      hosting.read(ports.owner(port), octetPs);
    },
    misdirect: (port, table) => {
      hosting.misdirect(ports.owner(port), table);
      wake(port);
    },
    note,
  };
}
