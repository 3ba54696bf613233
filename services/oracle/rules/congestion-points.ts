/**
 * Congestion points of QCN: a CNM states how far the queue is above its set point, how much it grew
 * since the sample before, and both as six bits of feedback (802.1Q 32.9.4, 33.4). When samples are
 * taken is jittered, and not judged.
 */

import { u16 } from '../ethernet.js';
import type { Observer } from '../model/observer.js';
import type { Device, Port, Queued } from '../model/port.js';
import type { Verdict } from '../verdict.js';

interface QcnSettings {
  readonly priorities: readonly number[];
  /** Auto: the standard's 26 KB of 10 Gb/s, by the rate of the port. */
  readonly setPoint: number | 'auto';
  /** As an exponent of two. */
  readonly weight: number;
}

const C_TAG = 0x8100;
const S_TAG = 0x88a8;
const CN_TAG = 0x22e9;
const CNM = 0x22e7;
/** Offsets and changes of a queue are in units of so many octets. */
const UNIT = 64;
const FEEDBACK_MOST = 63;
const USUAL_SET_POINT = 26_000;
const OCTET_PS_10G = 800;

export class CongestionPoints implements Observer {
  constructor(
    devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    for (const device of devices) {
      if (device.isHost || settingsOf(device).priorities.length === 0) continue;
      const why = whyUnknown(device);
      if (why !== null) verdict.decline('messages', why);
    }
  }

  /** A switch queues the message at once when the sampled frame has joined. */
  joining(out: Port, { frame, storage }: Queued, atPs: number): void {
    const { device } = out;
    if (device.isHost || storage.ingress !== out || frame.payload === null) return;
    const at = pduOf(frame.payload);
    if (at === null || whyUnknown(device) !== null) return;
    const feedback = frame.payload[at + 1]! & FEEDBACK_MOST;
    const sampled = device.ports[frame.payload[at + 8]! - 1];
    const priority = frame.payload[at + 14]! >> 5;
    if (sampled === undefined) return;
    const { weight } = settingsOf(device);
    const setPoint = setPointOf(sampled);
    const queue = sampled.queueOctets[device.configuration.classOf[priority]!]!;
    const [offset, delta] = [10, 12].map((field) => signed(u16(frame.payload!, at + field))) as [
      number,
      number,
    ];
    this.verdict.judge('messages');
    const place = { device: device.index, port: sampled.index, atPs, priority };
    const expected = Math.trunc((queue - setPoint) / UNIT);
    if (offset !== expected) {
      const what = `a CNM states a queue ${offset} units above its set point, expected ${expected}`;
      this.verdict.broken('messages', place, `${what} (802.1Q 33.4)`);
    }
    // The change is stated in whole units: feedback is between those of its bounds.
    const bounds = [delta - 1, delta + 1].map((units) =>
      quantised(queue - setPoint + 2 ** weight * units * UNIT, setPoint, 2 ** weight),
    );
    if (feedback >= Math.min(...bounds) && feedback <= Math.max(...bounds)) return;
    const what = `a CNM states feedback ${feedback}, expected ${bounds.join(' to ')}`;
    this.verdict.broken('messages', place, `${what} (802.1Q 32.9.4)`);
  }
}

function settingsOf({ configuration }: Device): QcnSettings {
  return configuration.settings.mechanisms['qcn'] as QcnSettings;
}

function setPointOf({ device, octetPs }: Port): number {
  const { setPoint } = settingsOf(device);
  return setPoint === 'auto' ? (USUAL_SET_POINT * OCTET_PS_10G) / octetPs : setPoint;
}

function whyUnknown(device: Device): string | null {
  return device.configuration.hasPlainClasses ? null : 'queues that are not known';
}

/** Where the PDU of a CNM begins, behind addresses and tags; null: it is none. */
function pduOf(octets: Uint8Array): number | null {
  let at = 12;
  while ([C_TAG, S_TAG, CN_TAG].includes(u16(octets, at))) at += 4;
  return u16(octets, at) === CNM ? at + 2 : null;
}

function quantised(congestion: number, setPoint: number, weight: number): number {
  const range = setPoint * (2 * weight + 1);
  return Math.floor((FEEDBACK_MOST * Math.min(Math.max(congestion, 0), range)) / range);
}

function signed(word: number): number {
  return word < 0x8000 ? word : word - 0x10000;
}
