import { CLASS, LENGTH, NEXT, PRIORITY_MASK, SEQUENCE, STORED } from '../frame/frame-pool.js';
import { priorityRow } from '../kernel/tables.js';
import {
  CONTROL_DUE, FREE_AT, HELD, IDENTITY, LANE_HEAD, LANE_TAIL, LATENCY_PS, OCTET_PS, PORT_DOUBLES, PORT_WORDS, READY,
} from '../port/ports.js';
import type { Device } from './device.js';
import type { Shared } from './shared.js';

export function makeDataPath(shared: Shared, devices: readonly Device[]) {
  const { arrivalAt, transmitAt, firstArrival, firstTransmit, horizon, pool } = shared;
  const portWords = shared.ports.words;
  const portDoubles = shared.ports.doubles;
  const queues = shared.queues.records;
  const counters = shared.counters.values;
  const frames = pool.words;
  const frameTimes = pool.times;
  const clock = shared.clock.cell;
  const dev = shared.deviceWords;
  const ownerOf = shared.ownerOf;
  const ingress = shared.ingressPs;

  function lot(slot: number, time: number): number {
    let h = Math.imul(slot + 1, 0x9e3779b1) ^ (time | 0);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
    return h ^ (h >>> 15);
  }
  function before(a: number, b: number, time: number): boolean {
    if (time === Infinity) return false;
    const la = lot(a, time), lb = lot(b, time);
    return la !== lb ? la < lb : a < b;
  }
  function scanArrivals(d: number): void {
    const base = dev[(d << 3) + 0], end = base + dev[(d << 3) + 1];
    let first = base, time = arrivalAt[base];
    for (let s = base + 1; s < end; s++) {
      const t = arrivalAt[s];
      if (t > time || (t === time && !before(s - base, first - base, t))) continue;
      time = t; first = s;
    }
    dev[(d << 3) + 2] = first; firstArrival[d] = time;
  }
  function scanTransmits(d: number): void {
    const base = dev[(d << 3) + 0], end = base + dev[(d << 3) + 1];
    let first = base, time = transmitAt[base];
    for (let s = base + 1; s < end; s++) {
      const t = transmitAt[s];
      if (t > time || (t === time && !before(s - base, first - base, t))) continue;
      time = t; first = s;
    }
    dev[(d << 3) + 3] = first; firstTransmit[d] = time;
  }
  function setTransmit(d: number, port: number): void {
    const t = transmitAt[port];
    if (port === dev[(d << 3) + 3]) scanTransmits(d);
    else if (t <= firstTransmit[d]) {
      const base = dev[d << 3];
      if (t === firstTransmit[d] && !before(port - base, dev[(d << 3) + 3] - base, t)) return;
      dev[(d << 3) + 3] = port; firstTransmit[d] = t;
    }
  }
  function mix(d: number, what: number, detail: number): void {
    const time = clock[0];
    let a = dev[(d << 3) + 4] ^ (time | 0) ^ Math.imul((time * 2.3283064365386963e-10) | 0, 0x2545f491);
    a = Math.imul((a << 15) | (a >>> 17), 0x9e3779b1) ^ what;
    let b = dev[(d << 3) + 5] ^ detail;
    b = Math.imul((b << 13) | (b >>> 19), 0x85ebca6b) + a;
    dev[(d << 3) + 4] = Math.imul(a ^ (a >>> 15), 0xc2b2ae35) + b;
    dev[(d << 3) + 5] = b;
  }
  function run(d: number, bound: number): void {
    const device = devices[d]; const { agenda } = device;
    for (;;) {
      const timer = agenda.time, arrival = firstArrival[d], tx = firstTransmit[d];
      if (timer <= arrival && timer <= tx) {
        if (timer >= bound) { horizon[d] = timer; return; }
        clock[0] = timer; device.runAgenda();
      } else if (arrival <= tx) {
        if (arrival >= bound) { horizon[d] = arrival; return; }
        clock[0] = arrival; arrive(d, device, dev[(d << 3) + 2]);
      } else {
        if (tx >= bound) { horizon[d] = tx; return; }
        clock[0] = tx; transmit(d, device, dev[(d << 3) + 3]);
      }
      dev[(d << 3) + 6]++;
    }
  }
  function arrive(d: number, device: Device, port: number): void {
    const at = port * PORT_WORDS;
    const frame = portWords[at + LANE_HEAD];
    const next = frames[frame + NEXT];
    portWords[at + LANE_HEAD] = next;
    if (next < 0) { portWords[at + LANE_TAIL] = -1; arrivalAt[port] = Infinity; } else arrivalAt[port] = frameTimes[(next >> 1) + 3];
    scanArrivals(d);
    const length = frames[frame + LENGTH];
    mix(d, port - dev[d << 3], frames[frame + SEQUENCE] ^ (length << 20));
    const c = priorityRow(port, frames[frame + CLASS] & PRIORITY_MASK) << 3;
    counters[c]++; counters[c + 1] += length;
    if (device.probe !== null) device.probe.frameReceived(d, port - dev[d << 3], clock[0], pool, frame);
    device.behaviour.receive(port, frame);
  }
  function transmit(d: number, device: Device, port: number): void {
    const at = port * PORT_WORDS;
    if (portWords[at + CONTROL_DUE] !== 0) { device.sendControl(port); return; }
    const held = portWords[at + HELD];
    let eligible = portWords[at + READY];
    if (held !== 0) eligible = portWords[at + IDENTITY] !== 0 ? eligible & ~held : device.eligible(port, eligible, held);
    if (eligible === 0) { transmitAt[port] = Infinity; scanTransmits(d); return; }
    const local = port - dev[d << 3];
    const tc = device.arbiters[local].pick(eligible, shared.queues, port);
    const q = priorityRow(port, tc) << 3;
    const frame = queues[q];
    const next = frames[frame + NEXT];
    queues[q] = next;
    if (next < 0) portWords[at + READY] &= ~(1 << tc);
    queues[q + 2]--;
    queues[q + 3] -= frames[frame + STORED];
    const length = frames[frame + LENGTH];
    const octetPs = portWords[at + OCTET_PS];
    const now = clock[0];
    const free = now + (length + 20) * octetPs;
    portDoubles[port * PORT_DOUBLES + FREE_AT] = free;
    device.behaviour.departing(port, tc, frame);
    const cls = frames[frame + CLASS];
    mix(d, 0x1000 | local, cls ^ (length << 20));
    const c = priorityRow(port, cls & PRIORITY_MASK) << 3;
    counters[c + 2]++; counters[c + 3] += length;
    if (device.probe !== null) device.probe.frameSent(d, local, now, pool, frame);
    frameTimes[(frame >> 1) + 3] = now + 8 * octetPs + portDoubles[port * PORT_DOUBLES + LATENCY_PS];
    device.wires[local].accept(frame);
    transmitAt[port] = (portWords[at + READY] | portWords[at + CONTROL_DUE]) !== 0 ? free : Infinity;
    scanTransmits(d);
  }
  function accept(port: number, frame: number): void {
    const d = ownerOf[port];
    const octets = dev[(d << 3) + 7] !== 0 ? 64 : frames[frame + LENGTH];
    const t = (frame >> 1) + 3;
    const time = frameTimes[t] + octets * portWords[port * PORT_WORDS + OCTET_PS] + ingress[d];
    frameTimes[t] = time;
    frames[frame + NEXT] = -1;
    const at = port * PORT_WORDS;
    const tail = portWords[at + LANE_TAIL];
    portWords[at + LANE_TAIL] = frame;
    if (tail >= 0) { frames[tail + NEXT] = frame; return; }
    portWords[at + LANE_HEAD] = frame;
    arrivalAt[port] = time;
    if (port === dev[(d << 3) + 2]) scanArrivals(d);
    else if (time <= firstArrival[d]) {
      const base = dev[d << 3];
      if (!(time === firstArrival[d] && !before(port - base, dev[(d << 3) + 2] - base, time))) {
        dev[(d << 3) + 2] = port; firstArrival[d] = time;
      }
    }
    if (time < horizon[d]) horizon[d] = time;
  }
  function kick(d: number, port: number): void {
    if (transmitAt[port] !== Infinity) return;
    const free = portDoubles[port * PORT_DOUBLES + FREE_AT], now = clock[0];
    transmitAt[port] = free > now ? free : now;
    setTransmit(d, port);
  }
  function enqueue(d: number, port: number, tc: number, frame: number): void {
    const q = priorityRow(port, tc) << 3;
    frames[frame + NEXT] = -1;
    if (queues[q] < 0) { queues[q] = frame; portWords[port * PORT_WORDS + READY] |= 1 << tc; } else frames[queues[q + 1] + NEXT] = frame;
    queues[q + 1] = frame; queues[q + 2]++;
    const o = (queues[q + 3] += frames[frame + STORED]);
    if (o > queues[q + 4]) queues[q + 4] = o;
    kick(d, port);
  }
  return { run, accept, enqueue, kick, setTransmit, mix };
}
