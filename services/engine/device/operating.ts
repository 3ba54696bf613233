import { TRAFFIC_CLASSES } from '../units/ethernet.js';
import { EtsArbiter } from '../arbiter/ets.js';
import type { OperatingPort, PortOperator } from '../contract/discovery.js';
import { CLASS, PRIORITY_MASK, STORED } from '../frame/frame-pool.js';
import { TSA_ETS, type Ets, type EtsTable } from '../wire/lldp/dcbx-ieee.js';
import type { Device } from './device.js';
import type { DeviceParts } from './parts.js';
import type { Shared } from './shared.js';
import { assert } from '../kernel/assert.js';

/** Percent of what strict classes (null) leave; a class of 0 has what the others do not use. */
function sharesOf({ algorithms, shares }: Ets): (number | null)[] {
  return Array.from({ length: TRAFFIC_CLASSES }, (_, tc) =>
    algorithms[tc] === TSA_ETS ? shares[tc] : null,
  );
}

/** Applies what a port and its link partner have negotiated; frames in flight are left alone. */
export function makeOperator(
  { ports, buffer, queues, pool }: Shared,
  devices: readonly Device[],
  { set, starting, hosting }: DeviceParts,
): PortOperator {
  const { all, given } = set;
  const negotiated = all.filter(({ protectsGroup }) => protectsGroup !== undefined);

  function operate(port: number, operating: OperatingPort): void {
    const device = devices[ports.owner(port)];
    if (device.spec.kind === 'host' && device.spec.nic !== null) program(device, operating.ets);
    else {
      share(device, port, operating.ets);
      classify(port, operating.ets.classOf);
    }
    for (const mechanism of given) mechanism.operate?.(port, operating);
    if (device.spec.kind === 'switch' || device.spec.receiveMemory !== null) guard(port);
  }

  function share({ arbiters, firstPort }: Device, port: number, ets: Ets): void {
    const arbiter = arbiters[port - firstPort];
    if (arbiter instanceof EtsArbiter) arbiter.share(sharesOf(ets));
  }

  /** The NIC has shares and classes in its registers. */
  function program({ place, firstPort }: Device, ets: Ets): void {
    if (hosting.operate(place, ets) && classify(firstPort, ets.classOf)) {
      hosting.reclassified(place);
    }
  }

  function tableInHardware(port: number): EtsTable | null {
    return hosting.tableInHardware(ports.owner(port));
  }

  /**
   * Waiting frames move to their new class, so that no flow is reordered; true if there were any.
   */
  function classify(port: number, classOf: readonly number[]): boolean {
    if (classOf.every((tc, priority) => tc === ports.classOf(port, priority))) return false;
    const moving: number[] = [];
    for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) {
      if (isUnchanged(port, tc, classOf)) continue;
      while (queues.head(port, tc) >= 0) {
        const frame = queues.shift(port, tc);
        buffer.requeued(port, tc, pool.words[frame + STORED]);
        moving.push(frame);
      }
    }
    assert(classOf.length === TRAFFIC_CLASSES, 'operating.class-of-each-priority');
    ports.setClasses(port, classOf);
    for (const frame of moving) {
      const joined = classOf[pool.words[frame + CLASS] & PRIORITY_MASK];
      buffer.requeued(port, joined, -pool.words[frame + STORED]);
      queues.push(port, joined, frame);
    }
    starting.permit(port);
    return true;
  }

  /** The same priorities are in a class as before. */
  function isUnchanged(port: number, tc: number, classOf: readonly number[]): boolean {
    return classOf.every(
      (now, priority) => (now === tc) === (ports.classOf(port, priority) === tc),
    );
  }

  /** An ingress buffer whose link partner can be paused, or counts, never drops. */
  function guard(port: number): void {
    for (let group = 0; group < TRAFFIC_CLASSES; group++) {
      const ruling = negotiated.filter((own) => own.rulesGroup?.(port, group) === true);
      if (ruling.length === 0) continue;
      const isProtected = ruling.some((own) => own.protectsGroup!(port, group));
      buffer.setLossless(port, group, isProtected || starting.backs(port, group));
    }
  }

  return { operate, tableInHardware };
}
