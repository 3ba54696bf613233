/**
 * Congestion points of QCN: a queue is sampled after so many octets have joined it, sooner when it
 * was congested at the sample before. Where it is congested, a CNM to the source of the sampled
 * frame states how far the queue is above its set point, how much it grew since the sample before,
 * and both as six bits of feedback (802.1Q 32.8, 32.9, 33.4).
 */

import { showPs } from '../ethernet.js';
import { type Cnm, cnmOf } from '../messages.js';
import { Draws } from '../model/draws.js';
import type { Device, Model, Observer, Port, Queued, WireFrame } from '../model/model.js';
import { kept, reasonOf } from '../model/port.js';
import type { QcnSettings } from '../model/settings.js';

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
const [UNIT, UNITS_MOST, FEEDBACK_MOST] = [64, 0x7fff, 63];
const USUAL = { setPoint: 26e3, sampleBase: 150e3 };
const OCTET_PS_10G = 800;

export class CongestionPoints implements Observer {
  private readonly draws = new Map<Device, Draws>();
  private readonly points = new Map<string, Point>();
  private readonly due = new Map<Device, Due>();

  constructor(private readonly model: Model) {
    const { seed } = model.configuration.scenario;
    for (const device of model.devices) {
      if (device.isHost || settingsOf(device).priorities.length === 0) continue;
      if (!model.verdict.knows('messages', whyUnknown(device))) continue;
      this.draws.set(device, new Draws(seed, `${device.name}/qcn`));
    }
  }

  joining(out: Port, { frame, storage, isMoved }: Queued, atPs: number): void {
    const { device } = out;
    if (!this.draws.has(device)) return;
    if (isMoved) {
      this.model.verdict.decline('messages', 'frames move from a port that goes down');
      this.draws.delete(device);
      return;
    }
    const { payload } = frame;
    const cnm = storage.ingress === out && payload !== null ? cnmOf(payload) : null;
    if (cnm === null) this.missing(device);
    else this.compare(out, cnm, { frame, atPs });
  }

  joined(out: Port, { frame, storage, trafficClass }: Queued, atPs: number): void {
    const { device } = out;
    const draws = this.draws.get(device);
    const { priorities, weight } = settingsOf(device);
    const { classOf } = device.configuration;
    if (draws === undefined || !priorities.some((own) => classOf[own] === trafficClass)) return;
    const left = scaled(out, 'sampleBase');
    const point = kept(this.points, `${out.name} ${trafficClass}`, () => ({ before: 0, left }));
    point.left -= frame.octets;
    if (point.left > 0) return;
    const queue = out.queueOctets[trafficClass]!;
    const setPoint = scaled(out, 'setPoint');
    const [offset, delta] = [queue - setPoint, queue - point.before];
    const feedback = quantised(offset + 2 ** weight * delta, setPoint, 2 ** weight);
    const period = scaled(out, 'sampleBase') / (1 + Math.floor(feedback / 8));
    point.before = queue;
    point.left = period * (0.85 + 0.3 * draws.uniform());
    this.model.verdict.judge('messages');
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
    const due = this.due.get(out.device);
    this.due.delete(out.device);
    const place = out.at(atPs, cnm.priority);
    if (due === undefined) {
      const what = 'a CNM is sent, and no sample is due (802.1Q 32.8)';
      this.model.verdict.broken('messages', place, what);
      return;
    }
    const about = `a CNM about ${due.sampled.name} states`;
    for (const key of ['feedback', 'offset', 'delta'] as const) {
      if (cnm[key] === due.states[key]) continue;
      const what = `${about} ${key} ${cnm[key]}, expected ${due.states[key]}`;
      this.model.verdict.broken('messages', place, `${what} (802.1Q 32.9.4, 33.4)`);
    }
    const { via, sampled } = due;
    const { source, flowId, priority } = due.frame;
    const isOfFlow = cnm.flowId === flowId && cnm.priority === priority;
    const isOfPort = out === via && cnm.port === sampled.index + 1;
    if (isOfFlow && isOfPort && frame.target === source) return;
    const what = `a CNM about ${sampled.name} is not for the flow of the sampled frame`;
    this.model.verdict.broken('messages', place, `${what} (802.1Q 32.9.4)`);
  }

  private missing(device: Device): void {
    const due = this.due.get(device);
    if (due === undefined) return;
    this.due.delete(device);
    const { sampled, atPs, frame, states } = due;
    const what = `a sample is due at ${showPs(atPs)} with feedback ${states.feedback}`;
    const place = sampled.at(atPs, frame.priority);
    this.model.verdict.broken('messages', place, `${what}, and no CNM is sent (802.1Q 32.9)`);
  }
}

const settingsOf = (device: Device): QcnSettings => device.keysOf('qcn') as QcnSettings;

function scaled({ device, octetPs }: Port, key: 'setPoint' | 'sampleBase'): number {
  const value = settingsOf(device)[key];
  return value === 'auto' ? USUAL[key] * (OCTET_PS_10G / octetPs) : value;
}

function whyUnknown(device: Device): string | null {
  const { defence, ports } = settingsOf(device);
  return reasonOf({
    'ports without congestion points': [defence, ...Object.values(ports)].includes('disabled'),
    'queues that are not known': !device.configuration.hasPlainClasses,
  });
}

function quantised(congestion: number, setPoint: number, weight: number): number {
  const range = setPoint * (2 * weight + 1);
  return Math.floor((FEEDBACK_MOST * Math.min(Math.max(congestion, 0), range)) / range);
}

const inUnits = (octets: number): number =>
  Math.max(-UNITS_MOST, Math.min(UNITS_MOST, Math.trunc(octets / UNIT)));
