import { PRIORITY_NUMBERS, TRAFFIC_CLASSES } from '../units/ethernet.js';
import { EtsArbiter } from '../arbiter/ets.js';
import type { OperatingExchange, OperatingPort, PortOperator } from '../contract/discovery.js';
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
  { set, grantGating, egressPath, hosting }: DeviceParts,
): PortOperator {
  const { all, grants, given } = set;
  const negotiated = all.filter(({ protectsGroup }) => protectsGroup !== undefined);

  function operate(port: number, operating: OperatingPort): void {
    const device = devices[ports.owner(port)];
    if (device.spec.kind === 'host' && device.spec.nic !== null) program(device, operating.ets);
    else {
      share(device, port, operating.ets);
      classify(port, operating.ets.classOf);
    }
    for (const mechanism of given) mechanism.operate?.(port, operating);
    exchange(port, operating.exchange);
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
      if (ports.isGrantGated(port, tc)) continue;
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
    grantGating.permit(port);
    return true;
  }

  /** Waiting frames are kept: from now on they are grant-gated, or no longer. */
  function exchange(port: number, agreed: OperatingExchange): void {
    const { priorities } = agreed;
    if (accounted(port) === 0 && priorities === 0) return;
    if (priorities === grants.operationalAt(port)) return;
    assert((priorities & ~accounted(port)) === 0, 'operating.agreed-has-accounts');
    grants.setOperational(port, priorities, agreed);
    grantGating.change(port, priorities);
    egressPath.wakeTransmitter(ports.owner(port), port);
  }

  /** Priorities with accounts, one bit each: of others the flow control is not negotiated. */
  function accounted(port: number): number {
    const has = (p: number): boolean => grants.accounts.has(port, p);
    return PRIORITY_NUMBERS.reduce((bits, p) => (has(p) ? bits | (1 << p) : bits), 0);
  }

  /** An account whose link partner can be paused, or has a grant, never drops. */
  function guard(port: number): void {
    for (let group = 0; group < TRAFFIC_CLASSES; group++) {
      const ruling = negotiated.filter((own) => own.rulesGroup?.(port, group) === true);
      if (ruling.length === 0) continue;
      const isProtected = ruling.some((own) => own.protectsGroup!(port, group));
      buffer.setLossless(port, group, isProtected || isBacked(port, group));
    }
  }

  function isBacked(port: number, group: number): boolean {
    return PRIORITY_NUMBERS.some(
      (p) => ports.groupOf(port, p) === group && grants.isOperational(port, p),
    );
  }

  return { operate, tableInHardware };
}
