/**
 * Congestion points of QCN: a queue is sampled after so many octets have joined it, sooner when it
 * was congested at the sample before. Where it is congested, a CNM to the source of the sampled
 * frame states how far the queue is above its set point, how much it grew since the sample before,
 * and both as six bits of feedback (802.1Q 32.8, 32.9, 33.4).
 */

import type { QcnSettings } from '../model/settings.js';
import type { Configuration } from '../configuration.js';
import { showPs } from '../ethernet.js';
import { type Cnm, cnmOf } from '../messages.js';
import { Draws } from '../model/draws.js';
import type { Observer } from '../model/observer.js';
import type { Device, Port, Queued } from '../model/port.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';

/** Of a queue: its length at the last sample, and the octets until the next one. */
interface Point {
  before: number;
  left: number;
}

/** A CNM that is due at once, by the ingress of the sampled frame. */
interface Due {
  readonly via: Port;
  readonly sampled: Port;
  readonly frame: WireFrame;
  readonly atPs: number;
  readonly states: Pick<Cnm, 'feedback' | 'offset' | 'delta'>;
}

/** Offsets and changes of a queue are in units of so many octets. */
const UNIT = 64;
const UNITS_MOST = 0x7fff;
const FEEDBACK_MOST = 63;
const USUAL = { setPoint: 26e3, sampleBase: 150e3 };
const OCTET_PS_10G = 800;

export class CongestionPoints implements Observer {
  /** By switch: the draws by which its periods vary; null: it has no points, or is not judged. */
  private readonly draws: (Draws | null)[];
  private readonly points = new Map<string, Point>();
  /** By switch. */
  private readonly due = new Map<Device, Due>();

  constructor(
    { scenario: { seed } }: Configuration,
    devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    this.draws = devices.map((device) => {
      if (device.isHost || settingsOf(device).priorities.length === 0) return null;
      const why = whyUnknown(device);
      if (why !== null) verdict.decline('messages', why);
      return why === null ? new Draws(seed, `${device.name}/qcn`) : null;
    });
  }

  joining(out: Port, { frame, storage, isMoved }: Queued, atPs: number): void {
    const { device } = out;
    if ((this.draws[device.index] ?? null) === null) return;
    if (isMoved) {
      this.verdict.decline('messages', 'frames move from a port that goes down');
      this.draws[device.index] = null;
      return;
    }
    const { payload } = frame;
    const cnm = storage.ingress === out && payload !== null ? cnmOf(payload) : null;
    if (cnm === null) this.missing(device);
    else this.compare(out, cnm, { frame, atPs });
  }

  /** The queue has the frame. */
  joined(out: Port, { frame, storage, trafficClass }: Queued, atPs: number): void {
    const { device } = out;
    const draws = this.draws[device.index] ?? null;
    const { priorities, weight } = settingsOf(device);
    const { classOf } = device.configuration;
    if (draws === null || !priorities.some((own) => classOf[own] === trafficClass)) return;
    const point = this.pointOf(out, trafficClass);
    point.left -= frame.octets;
    if (point.left > 0) return;
    const queue = out.queueOctets[trafficClass]!;
    const setPoint = scaled(out, 'setPoint');
    const [offset, delta] = [queue - setPoint, queue - point.before];
    const feedback = quantised(offset + 2 ** weight * delta, setPoint, 2 ** weight);
    const period = scaled(out, 'sampleBase') / (1 + Math.floor(feedback / 8));
    point.before = queue;
    point.left = period * (0.85 + 0.3 * draws.uniform());
    this.verdict.judge('messages');
    if (feedback === 0 || frame.isGroup) return;
    const states = { feedback, offset: inUnits(offset), delta: inUnits(delta) };
    this.due.set(device, { via: storage.ingress, sampled: out, frame, atPs, states });
  }

  /** A message may find its own queue full. */
  refused({ device }: Port, { kind }: WireFrame): void {
    if (kind === 'notice') this.due.delete(device);
  }

  reached(): void {
    for (const device of this.due.keys()) this.missing(device);
  }

  private compare(out: Port, cnm: Cnm, { frame, atPs }: { frame: WireFrame; atPs: number }): void {
    const { device } = out;
    const due = this.due.get(device);
    this.due.delete(device);
    const place = { device: device.index, port: out.index, atPs, priority: cnm.priority };
    if (due === undefined) {
      this.verdict.broken('messages', place, 'a CNM is sent, and no sample is due (802.1Q 32.8)');
      return;
    }
    const about = `a CNM about ${due.sampled.name} states`;
    for (const key of ['feedback', 'offset', 'delta'] as const) {
      if (cnm[key] === due.states[key]) continue;
      const what = `${about} ${key} ${cnm[key]}, expected ${due.states[key]}`;
      this.verdict.broken('messages', place, `${what} (802.1Q 32.9.4, 33.4)`);
    }
    const { via, sampled } = due;
    const { source, flowId, priority } = due.frame;
    const isRight =
      out === via &&
      frame.target === source &&
      cnm.port === sampled.index + 1 &&
      cnm.flowId === flowId &&
      cnm.priority === priority;
    if (isRight) return;
    const what = `a CNM about ${sampled.name} is not for the flow of the sampled frame`;
    this.verdict.broken('messages', place, `${what} (802.1Q 32.9.4)`);
  }

  private missing(device: Device): void {
    const due = this.due.get(device);
    if (due === undefined) return;
    this.due.delete(device);
    const { sampled, atPs, frame } = due;
    const place = { device: device.index, port: sampled.index, atPs, priority: frame.priority };
    const what = `a sample is due at ${showPs(atPs)} with feedback ${due.states.feedback}`;
    this.verdict.broken('messages', place, `${what}, and no CNM is sent (802.1Q 32.9)`);
  }

  private pointOf(port: Port, trafficClass: number): Point {
    const key = `${port.name} ${trafficClass}`;
    const known = this.points.get(key);
    if (known !== undefined) return known;
    const point = { before: 0, left: scaled(port, 'sampleBase') };
    this.points.set(key, point);
    return point;
  }
}

function settingsOf({ configuration }: Device): QcnSettings {
  return configuration.settings.mechanisms['qcn'] as QcnSettings;
}

function scaled({ device, octetPs }: Port, key: 'setPoint' | 'sampleBase'): number {
  const value = settingsOf(device)[key];
  return value === 'auto' ? USUAL[key] * (OCTET_PS_10G / octetPs) : value;
}

function whyUnknown(device: Device): string | null {
  const { defence, ports } = settingsOf(device);
  const isOff = [defence, ...Object.values(ports)].includes('disabled');
  if (isOff) return 'ports without congestion points';
  return device.configuration.hasPlainClasses ? null : 'queues that are not known';
}

function quantised(congestion: number, setPoint: number, weight: number): number {
  const range = setPoint * (2 * weight + 1);
  return Math.floor((FEEDBACK_MOST * Math.min(Math.max(congestion, 0), range)) / range);
}

function inUnits(octets: number): number {
  return Math.max(-UNITS_MOST, Math.min(UNITS_MOST, Math.trunc(octets / UNIT)));
}
