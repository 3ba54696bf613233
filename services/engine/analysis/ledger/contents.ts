import { accountRows } from '../../contract/grants-spec.js';
import type { Engine } from '../../device/engine.js';
import { CLASS, PRIORITY_MASK, STORED } from '../../frame/frame-pool.js';
import { ACCOUNT } from '../../kernel/tables.js';
import { QUEUE_FRAMES, QUEUE_OCTETS, QUEUE_PEAK } from '../../port/queues.js';
import { TRAFFIC_CLASSES } from '../../units/ethernet.js';

/** A port, numbered through the service, and which of its counts contradicts what is there. */
interface WrongCount {
  readonly port: number;
  readonly what: string;
}

/**
 * The first of so many ports whose queues, waiting lines or link hold other than what is counted
 * for them; null if there is none. Mechanisms read the counts, and never the frames.
 */
export function wrongContents(
  engine: Engine,
  among = engine.shared.ports.count,
): WrongCount | null {
  for (let port = 0; port < among; port++) {
    const what = wrongQueue(engine, port) ?? wrongLine(engine, port) ?? wrongLink(engine, port);
    if (what !== null) return { port, what };
  }
  return null;
}

/** Length of a queue = its frames, and those that wait in a line before it. */
function wrongQueue({ shared, devices }: Engine, port: number): string | null {
  const { ports, queues, lines, pool } = shared;
  const frames = new Float64Array(TRAFFIC_CLASSES);
  const octets = new Float64Array(TRAFFIC_CLASSES);
  const last = new Int32Array(TRAFFIC_CLASSES).fill(-1);
  const count = (frame: number, trafficClass: number): void => {
    frames[trafficClass]++;
    octets[trafficClass] += pool.words[frame + STORED];
  };
  queues.forEach(port, (frame, trafficClass) => {
    count(frame, trafficClass);
    last[trafficClass] = frame;
  });
  const { first, end } = rowsOf(devices[ports.owner(port)], port);
  for (let row = first; row < end; row++) {
    lines.forEach(row, (frame) => {
      count(frame, ports.classOf(port, pool.words[frame + CLASS] & PRIORITY_MASK));
    });
  }
  for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) {
    if (queues.get(port, tc, QUEUE_FRAMES) !== frames[tc]) return 'frames of a queue';
    if (queues.get(port, tc, QUEUE_OCTETS) !== octets[tc]) return 'octets of a queue';
    if (queues.get(port, tc, QUEUE_PEAK) < octets[tc]) return 'the longest that a queue was';
    if (last[tc] >= 0 && queues.last(port, tc) !== last[tc]) return 'the last frame of a queue';
    const isMetered = ports.isMetered(port, tc);
    const isReady = queues.isReady(port, tc);
    const mayWait = isMetered || isShaped(devices[ports.owner(port)], port);
    if (isReady ? last[tc] < 0 : last[tc] >= 0 && !mayWait) return 'a queue that is ready';
  }
  return null;
}

/** A shaper keeps a queue with frames from being ready until its class has its turn. */
function isShaped({ spec, firstPort }: Engine['devices'][number], port: number): boolean {
  return spec.kind === 'switch' && (spec.slots?.shapers[port - firstPort] ?? null) !== null;
}

/** Octets of a waiting line = those of its frames. */
function wrongLine({ shared, devices }: Engine, port: number): string | null {
  const { lines, pool, ports } = shared;
  const { first, end } = rowsOf(devices[ports.owner(port)], port);
  for (let row = first; row < end; row++) {
    let octets = 0;
    lines.forEach(row, (frame) => (octets += pool.words[frame + STORED]));
    if (lines.octets(row) !== octets) return 'octets of a waiting line';
  }
  return null;
}

/** Frames in flight come in one after the other, and the first of them when the port expects it. */
function wrongLink({ shared }: Engine, port: number): string | null {
  const { arrivals, inFlightQueues } = shared;
  let before = -Infinity;
  let isInOrder = true;
  inFlightQueues.forEach(port, (_, arrivalPs) => {
    isInOrder &&= arrivalPs > before && arrivalPs < Infinity;
    before = arrivalPs;
  });
  if (!isInOrder) return 'the order of frames in flight';
  const isEmpty = inFlightQueues.head(port) < 0;
  return isEmpty === (arrivals.at[port] === Infinity) ? null : 'the next frame in flight';
}

/** Accounts of grants of a port. */
function rowsOf(
  { spec, firstPort, rows }: Engine['devices'][number],
  port: number,
): { readonly first: number; readonly end: number } {
  let first = rows[ACCOUNT].first;
  for (let p = 0; p < port - firstPort; p++) first += accountRows(spec.ports[p].grants);
  return { first, end: first + accountRows(spec.ports[port - firstPort].grants) };
}

/**
 * The first of so many devices that does not execute its next event in time, by its first port; or
 * -1. The next event is the earliest of all its ports and timers.
 */
export function lateDevice({ shared, devices }: Engine, among: number): number {
  const { arrivals, transmits, horizon } = shared;
  for (const { place, firstPort, spec, timerQueue } of devices.slice(0, among)) {
    const ports = spec.ports.map((_, p) => firstPort + p);
    for (const slots of [arrivals, transmits]) {
      const first = Math.min(Infinity, ...ports.map((port) => slots.at[port]));
      if (slots.time[place] !== first) return firstPort;
    }
    const timer = Math.min(timerQueue.time, timerQueue.postedTime);
    const next = Math.min(timer, arrivals.time[place], transmits.time[place]);
    if (horizon[place] > next) return firstPort;
  }
  return -1;
}
