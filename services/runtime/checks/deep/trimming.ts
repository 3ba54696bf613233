import type { Model, Observer, Port, Queued, WireFrame } from '../../../oracle/model/model.js';
import { isSameFrame } from '../../../oracle/model/port.js';

/** Keys of a priority, as the scenario resolves them. */
type Key =
  | 'off'
  | {
      readonly size: number;
      readonly priority: number;
      readonly dscp?: number;
      readonly lastHopDscp?: number;
      readonly queue?: number;
      readonly limit?: number;
    };

/** A packet that was dropped, and whose headers are due in its place. */
interface Due {
  readonly frame: WireFrame;
  readonly port: Port;
  readonly atPs: number;
}

/** What a full buffer is called. */
const BY_BUFFER = ['ingress-threshold', 'egress-threshold', 'buffer-full'];
const DSCP_PER_PRIORITY = 8;

/**
 * Packet trimming (SAI `SAI_BUFFER_PROFILE_ATTR_PACKET_ADMISSION_FAIL_ACTION`): the headers of a
 * packet that finds no buffer are queued at once, so long, of this priority and DSCP; a packet that
 * is trimmed nowhere is dropped whole, and no queue is longer than its packets may make it.
 */
export class Trimming implements Observer {
  private due: Due | null = null;

  constructor(private readonly model: Pick<Model, 'verdict'>) {}

  refused(port: Port, frame: WireFrame, reason: string, atPs: number): void {
    if (frame.kind === 'cut') {
      // Headers may find no room either.
      this.due = null;
      return;
    }
    this.missing();
    if (port.device.isHost) return;
    if (reason === 'trimmed') this.due = { frame, port, atPs };
    const key = keyOf(port, frame);
    const isTrimmable = key !== 'off' && isWhole(frame) && frame.octets > key.size;
    if (key !== 'off') this.model.verdict.judge('buffers');
    if (reason === 'trimmed' && !isTrimmable) {
      this.broken(port, frame, atPs, 'a packet is trimmed that must not be');
    } else if (isTrimmable && key.limit === undefined && BY_BUFFER.includes(reason)) {
      this.broken(port, frame, atPs, `a packet is dropped (${reason}) that can be trimmed`);
    }
  }

  joining(out: Port, { frame, octets, trafficClass, isMoved }: Queued, atPs: number): void {
    const { due } = this;
    if (
      due !== null &&
      due.port.device === out.device &&
      isSameFrame(due.frame, frame, 'kind dscp')
    ) {
      this.due = null;
      this.compare(out, due, frame);
      return;
    }
    this.missing();
    const key = out.device.isHost || isMoved ? 'off' : keyOf(out, frame);
    if (key === 'off' || key.queue === undefined || !isWhole(frame)) return;
    const length = out.queueOctets[trafficClass]! + octets;
    if (length <= key.queue) return;
    const what = `a packet makes its queue ${length} bytes long, and is not trimmed`;
    this.broken(out, frame, atPs, what);
  }

  reached(): void {
    this.missing();
  }

  private compare(out: Port, { frame: whole, port, atPs }: Due, headers: WireFrame): void {
    const key = keyOf(port, whole);
    if (key === 'off') return;
    const { size, priority, dscp = priority * DSCP_PER_PRIORITY } = key;
    const last = key.lastHopDscp ?? Math.min(dscp + 1, 63);
    const due = { octets: size, priority, dscp: out.peer.device.isHost ? last : dscp };
    for (const name of ['octets', 'priority', 'dscp'] as const) {
      if (headers[name] === due[name]) continue;
      const what = `headers of a packet have ${name} ${headers[name]}, expected ${due[name]}`;
      this.broken(out, headers, atPs, what);
    }
  }

  private missing(): void {
    const { due } = this;
    if (due === null) return;
    this.due = null;
    this.broken(
      due.port,
      due.frame,
      due.atPs,
      'a packet is trimmed, and its headers are not queued',
    );
  }

  private broken(port: Port, { priority }: WireFrame, atPs: number, what: string): void {
    this.model.verdict.broken('buffers', port.at(atPs, priority), what);
  }
}

function keyOf({ device }: Port, { priority }: WireFrame): Key {
  const own = device.configuration.settings.priorities[priority]!;
  return own.mechanisms['trim'] as Key;
}

/** Only packets have receivers that read headers; of groups there are many. */
const isWhole = ({ kind, isGroup, isIsolated, payload, flowId }: WireFrame): boolean =>
  kind === 'data' && !isGroup && !isIsolated && payload === null && flowId === 0;
