import type { SharedBuffer } from '../../buffer/shared-buffer.js';
import { ADMITTED } from '../../buffer/shared-buffer.js';
import { EcnMarker } from '../../congestion/ecn/ecn-marker.js';
import type { IngressObserver } from '../../contract/flow-control.js';
import { DROP } from '../../contract/probe.js';
import type { SwitchSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, LENGTH, PORT, PRIORITY_MASK, STORED } from '../../frame/frame-pool.js';
import type { Clock } from '../../kernel/clock.js';
import type { Counters } from '../../port/counters.js';
import type { Ports } from '../../port/ports.js';
import type { Queues } from '../../port/queues.js';
import { QUEUE_OCTETS } from '../../port/queues.js';
import type { Behaviour, Device } from '../device.js';
import { KIND_DEVICE } from '../device.js';
import { Bridge } from './bridge.js';
import type { Forwarding } from './forwarding.js';
import { FILTERED, SEVERAL } from './forwarding.js';
import { Router } from './router.js';

/** The last bit of a frame that could not cut through has come in. */
const KIND_COMPLETE = KIND_DEVICE;
const HEADER_OCTETS = 64;

/** An output-queued switch with one memory shared by all ports. */
export class Switch implements Behaviour {
  private readonly pool: FramePool;
  private readonly clock: Clock;
  private readonly ports: Ports;
  private readonly queues: Queues;
  private readonly counters: Counters;
  private readonly buffer: SharedBuffer;
  private readonly firstPort: number;
  /** By port of the device and priority group: the mechanism that stops its senders, if any. */
  private readonly observers: readonly (IngressObserver | null)[];
  readonly forwarding: Forwarding;
  private readonly ecn: EcnMarker;
  /** By port of the device and priority. */
  private readonly groupOf: Uint8Array;
  private readonly classOf: Uint8Array;
  private readonly cutsThrough: boolean;

  static readonly wiring = [
    ...['device', 'pool', 'clock', 'ports', 'queues', 'counters', 'buffer', 'observers', 'spec'],
    'firstPort',
  ];

  constructor(
    private readonly device: Device,
    readonly spec: SwitchSpec,
  ) {
    const { shared } = device;
    this.pool = shared.pool;
    this.clock = shared.clock;
    this.ports = shared.ports;
    this.queues = shared.queues;
    this.counters = shared.counters;
    this.firstPort = device.firstPort;
    this.cutsThrough = spec.cutThrough;
    this.buffer = shared.buffer;
    this.buffer.configure(device.place, this.firstPort, spec.buffer);
    this.ecn = new EcnMarker(spec.ecn, spec.seed, spec.name);
    this.forwarding = this.makeForwarding(spec);
    this.groupOf = Uint8Array.from(spec.ports.flatMap((port) => [...port.groupOf]));
    this.classOf = Uint8Array.from(spec.ports.flatMap((port) => [...port.classOf]));
    this.observers = spec.ports.flatMap((port, p) =>
      spec.buffer.accounts[p].map((account) => {
        if (!account.lossless) return null;
        const name = port.pause === null ? 'pfc' : 'pause';
        return shared.mechanisms.find((mechanism) => mechanism.name === name) ?? null;
      }),
    );
  }

  receive(port: number, frame: number): void {
    const out = this.forwarding.egress(port - this.firstPort, frame);
    if (out >= 0) this.forward(port, this.firstPort + out, frame);
    else if (out === SEVERAL) this.replicate(port, frame);
    else this.device.drop(port, frame, out === FILTERED ? DROP.VLAN_FILTERED : DROP.NO_DESTINATION);
  }

  departing(port: number, trafficClass: number, frame: number): void {
    const { words } = this.pool;
    const frameClass = words[frame + CLASS];
    const from = words[frame + PORT];
    const stored = words[frame + STORED];
    if ((this.ecn.atDequeue & (1 << trafficClass)) !== 0) {
      const octets = this.queues.get(port, trafficClass, QUEUE_OCTETS) + stored;
      this.mark(port, frame, trafficClass, octets);
    }
    const local = from - this.firstPort;
    const group = this.groupOf[(local << 3) | (frameClass & PRIORITY_MASK)];
    this.buffer.release(from, group, stored);
    const observer = this.observers[(local << 3) | group];
    if (observer !== null) observer.released(from, group);
  }

  onTimer(_kind: number, _id: number, value: number): void {
    const port = this.pool.words[value + PORT];
    this.admit(port, this.pool.words[value + STORED], value);
  }

  /** To one egress; a frame cannot cut through into a faster wire and waits for its last bit. */
  private forward(port: number, out: number, frame: number): void {
    if (this.cutsThrough && this.ports.octetPs(out) < this.ports.octetPs(port)) {
      const { words } = this.pool;
      const rest = words[frame + LENGTH] - HEADER_OCTETS;
      words[frame + PORT] = port;
      words[frame + STORED] = out;
      const complete = this.clock.now + rest * this.ports.octetPs(port);
      this.device.schedule(complete, KIND_COMPLETE, port - this.firstPort, frame);
    } else this.admit(port, out, frame);
  }

  private admit(port: number, out: number, frame: number): void {
    const { words } = this.pool;
    const local = port - this.firstPort;
    this.forwarding.rewrite(frame, out - this.firstPort);
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const group = this.groupOf[(local << 3) | priority];
    const trafficClass = this.classOf[((out - this.firstPort) << 3) | priority];
    const stored = this.buffer.storedOctets(port, words[frame + LENGTH]);
    const queued = this.queues.get(out, trafficClass, QUEUE_OCTETS);
    const verdict = this.buffer.admit(port, group, stored, queued);
    if (verdict !== ADMITTED) {
      this.device.drop(port, frame, verdict);
      return;
    }
    words[frame + STORED] = stored;
    words[frame + PORT] = port;
    const observer = this.observers[(local << 3) | group];
    if (observer !== null) observer.admitted(port, group);
    if ((this.ecn.atEnqueue & (1 << trafficClass)) !== 0) {
      this.mark(out, frame, trafficClass, queued + stored);
    }
    this.device.enqueue(out, trafficClass, frame);
  }

  private replicate(port: number, frame: number): void {
    const { pool, forwarding } = this;
    const last = forwarding.copyCount - 1;
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    for (let i = 0; i < last; i++) {
      this.counters.copied(port, priority, pool.words[frame + LENGTH]);
      this.forward(port, this.firstPort + forwarding.copies[i], pool.copyFrom(pool, frame));
    }
    this.forward(port, this.firstPort + forwarding.copies[last], frame);
  }

  private mark(port: number, frame: number, tc: number, queueOctets: number): void {
    const { words } = this.pool;
    const before = words[frame + CLASS];
    const after = this.ecn.mark(before, tc, queueOctets);
    if (after === before) return;
    words[frame + CLASS] = after;
    this.counters.marked(port, before & PRIORITY_MASK);
    this.device.probe?.frameMarked(this.device.place, port - this.firstPort, this.clock.now, this.pool, frame);
  }

  private makeForwarding(spec: SwitchSpec): Forwarding {
    const { forwarding } = spec;
    if (forwarding.kind === 'bridged') {
      return new Bridge(this.pool, forwarding.vlans, forwarding.hosts, forwarding.ageingPs, this.clock);
    }
    const salt = Math.imul(spec.index + 1, 0x9e3779b1);
    return new Router(this.pool, forwarding.routes, forwarding.spray, salt, spec.ports.length);
  }
}
