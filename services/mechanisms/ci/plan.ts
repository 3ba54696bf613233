import { STATION_OCTETS } from '../../engine/notices/stations.js';
import {
  type DeviceContext,
  type FabricContext,
  type LinkContext,
  type MechanismPlan,
  EXCHANGE,
  needsGrants,
} from '../fabric-context.js';
import { maskOf, watchedOf } from '../mechanism-slice.js';
import type { CiSettings } from './settings.js';
import type { CiPortSpec, CiSwitchSpec } from './spec.js';
import { assert } from '../../engine/kernel/assert.js';

const THRESHOLD_PS = 4_000_000;
const LOW_FRAMES = 2;

/** Congestion isolation in switches, and errors about it in the file. */
export class CiPlan implements MechanismPlan<CiSwitchSpec> {
  constructor(private readonly context: FabricContext<CiSettings>) {
    context.devices.forEach((own, device) => {
      this.check(own, this.watched(device));
    });
  }

  ofSwitch(device: number): CiSwitchSpec | null {
    const watched = this.watched(device);
    if (watched.length === 0) return null;
    const { hostCount, stations } = this.context;
    const { address, links } = this.context.devices[device];
    const own = this.section(device);
    const peers = new Uint8Array(links.length * STATION_OCTETS);
    links.forEach(({ peerAddress }, port) => {
      peers.set(peerAddress(), port * STATION_OCTETS);
    });
    return {
      monitorQueues: maskOf(watched),
      priority: own.priority,
      ports: links.map((link) => this.port(device, link)),
      maxCim: own.messages,
      maxStreams: own.streams,
      maxFlowLifePs: own.flowLife,
      idlePs: own.idle,
      minHeaderOctets: own.quote,
      txPriority: own.messagePriority,
      encapsulation: own.encapsulation,
      address: address(),
      peers,
      stations,
      hosts: hostCount,
    };
  }

  private port(device: number, { peerDevice, octetPs }: LinkContext): CiPortSpec {
    const { detect, low } = this.section(device);
    const isPeer = this.watched(peerDevice).length > 0;
    const frame = Math.max(...this.context.longestFrameOctets);
    assert(frame > 0 && octetPs > 0, 'ci.planned-port');
    return {
      isolates: isPeer || peerDevice < this.context.hostCount,
      isPeer,
      thresholdOctets: detect === 'auto' ? Math.ceil(THRESHOLD_PS / octetPs) : detect,
      lowOctets: low === 'auto' ? LOW_FRAMES * frame : low,
    };
  }

  private section(device: number): CiSettings {
    return this.context.devices[device].section;
  }

  /** Priorities that a switch monitors. */
  private watched(device: number): readonly number[] {
    if (device < this.context.hostCount || !this.section(device).enable) return [];
    return watchedOf(this.context.devices[device]);
  }

  private check(device: DeviceContext<CiSettings>, watched: readonly number[]): void {
    const [first] = watched;
    if (first === undefined) return;
    const { fail, flows, transmit, receive } = this.context;
    const { priority, messagePriority, detect, low } = device.section;
    const wrong = (key: string, message: string): Error => fail(device.placeOf(key), message);
    if (watched.includes(priority)) {
      throw wrong('priority', `priority ${priority} is watched itself; isolate to another`);
    }
    if ([priority, ...watched].includes(messagePriority)) {
      const where = 'would wait in the queues whose congestion they signal';
      const message = `messages of priority ${messagePriority} ${where}`;
      throw wrong('messagePriority', message);
    }
    const isIdentity = (map: readonly number[]): boolean => map.every((entry, p) => entry === p);
    if (!isIdentity(transmit) || !isIdentity(receive)) {
      const message =
        'ci needs a queue and an account for each priority; leave the maps as they are';
      throw fail(['classes'], message);
    }
    const user = flows.find(
      ({ priority: own, ackPriority }) => own === priority || ackPriority === priority,
    );
    if (user !== undefined) {
      throw wrong('priority', `priority ${priority} is in use by ${user.name}; isolate to another`);
    }
    this.checkMethods(device, [...watched, priority]);
    if (detect !== 'auto' && low !== 'auto' && low >= detect) {
      throw wrong('low', `low ${low} is not below the threshold, ${detect} bytes`);
    }
  }

  private checkMethods({ links }: DeviceContext, priorities: readonly number[]): void {
    const [first] = priorities as readonly [number];
    for (const { name, flowControl, priorities: settings } of links) {
      const method = flowControl[first];
      for (const other of priorities) {
        const own = flowControl[other];
        if (own === method && !needsGrants(own)) continue;
        throw this.context.fail(
          settings[other].path,
          needsGrants(own) || needsGrants(method)
            ? `priority ${other}: ci and ${EXCHANGE} do not go together`
            : `priority ${other} has flowControl ${own} at ${name}, but ${first} has ${method}: ` +
                'queues that share flows have the same flow control',
        );
      }
    }
  }
}
