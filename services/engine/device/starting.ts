import type { Mechanism } from '../contract/flow-control.js';
import type { StartAccounts } from '../contract/start-accounts.js';
import { CLASS, COPY_FLAG, PRIORITY_MASK, VLAN } from '../frame/frame-pool.js';
import { assert } from '../kernel/assert.js';
import type { FrameRef, PortRow, Priority, TrafficClass } from '../units/indices.js';
import type { Shared } from './shared.js';

/** Flow controls that count, as the data path calls them: for each frame the one that has it. */
export interface Starting {
  /** A frame joins a class, which may be metered. */
  enqueue(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void;
  // Of metered classes.
  start(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void;
  next(port: PortRow, trafficClass: TrafficClass): boolean;
  settle(port: PortRow, trafficClass: TrafficClass): void;
  collect(port: PortRow, trafficClass: TrafficClass): void;
  /** The first frames of all classes are others, or more is covered; true if one may start now. */
  permit(port: PortRow): boolean;
  reconsider(port: PortRow): boolean;
  // Of charged priorities.
  passed(port: PortRow, frame: FrameRef): void;
  /** The link partner was allowed to start the frame, or needed no permission. */
  covered(port: PortRow, frame: FrameRef): boolean;
  /** Senders into an ingress buffer of a port start with what it backs. */
  backs(port: PortRow, group: number): boolean;
  /** The waiting line of frames of a priority with such tags; -1: the queue of their class. */
  lineOf(port: PortRow, priority: Priority, vlans: number): number;
  lineOfFrame(port: PortRow, frame: FrameRef): number;
}

/** `atSlot`: mechanisms by their slots, some of which are free. */
export function makeStarting(
  { ports, queues, pool }: Shared,
  atSlot: readonly Mechanism[],
): Starting {
  const { words, ends } = pool;
  const keepers = Array.from(atSlot, (own) => own?.starts);
  const all = keepers.filter((keeper) => keeper !== undefined);

  function keeperOfClass(port: PortRow, trafficClass: TrafficClass): StartAccounts {
    const keeper = keepers[ports.keeperOfClass(port, trafficClass)];
    assert(keeper !== undefined, 'starting.metered-class-has-a-keeper');
    return keeper;
  }

  function keeperOf(port: PortRow, priority: Priority): StartAccounts {
    const keeper = keepers[ports.keeperOf(port, priority)];
    assert(keeper !== undefined, 'starting.charged-priority-has-a-keeper');
    return keeper;
  }

  function enqueue(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    if (!ports.isMetered(port, trafficClass)) queues.push(port, trafficClass, frame);
    else keeperOfClass(port, trafficClass).enqueue(port, trafficClass, frame);
  }

  function permit(port: PortRow): boolean {
    let some = false;
    for (const keeper of all) if (keeper.permit(port)) some = true;
    return some;
  }

  function reconsider(port: PortRow): boolean {
    let some = false;
    for (const keeper of all) if (keeper.reconsider(port)) some = true;
    return some;
  }

  function covered(port: PortRow, frame: FrameRef): boolean {
    const frameClass = words[frame + CLASS];
    const priority = frameClass & PRIORITY_MASK;
    if ((frameClass & COPY_FLAG) !== 0 || !ports.isCharged(port, priority)) return true;
    return keeperOf(port, priority).covered(port, frame);
  }

  function lineOf(port: PortRow, priority: Priority, vlans: number): number {
    if (!ports.isCharged(port, priority)) return -1;
    return keeperOf(port, priority).lineOf(port, priority, vlans);
  }

  return {
    enqueue,
    start: (port, trafficClass, frame) => {
      keeperOfClass(port, trafficClass).start(port, trafficClass, frame);
    },
    next: (port, trafficClass) => keeperOfClass(port, trafficClass).next(port, trafficClass),
    settle: (port, trafficClass) => {
      keeperOfClass(port, trafficClass).settle(port);
    },
    collect: (port, trafficClass) => {
      if (ports.isMetered(port, trafficClass)) {
        keeperOfClass(port, trafficClass).collect(port, trafficClass);
      }
    },
    permit,
    reconsider,
    passed: (port, frame) => {
      keeperOf(port, words[frame + CLASS] & PRIORITY_MASK).passed(port, frame);
    },
    covered,
    backs: (port, group) => all.some((keeper) => keeper.backs(port, group)),
    lineOf,
    lineOfFrame: (port, frame) =>
      lineOf(port, words[frame + CLASS] & PRIORITY_MASK, ends[frame + VLAN]),
  };
}
