import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import type { LiveCounts, LiveFrame, LiveInput, LivePortSpec } from '../contract/live.js';
import { OWN_SLOTS } from '../contract/slice.js';
import type { PortSpec } from '../contract/spec.js';
import { assert } from '../kernel/assert.js';
import { fields } from '../kernel/fields.js';
import type { Ports } from '../port/ports.js';
import { COUNTER, SHAPE } from '../kernel/kinds.js';
import type { Tables } from '../kernel/tables.js';
import { readU16 } from '../wire/big-endian.js';
import { ETHERTYPE_AT } from '../wire/ethernet.js';
import { ETHERTYPE_LLDP } from '../wire/lldp/lldpdu.js';
import type { PortRow } from '../units/indices.js';

// Doubles of a port.

/** The input that is due next, and the first of the link that has not been sent. */
const NEXT = 0;
const NEXT_OF_LINK = 1;
const ENTERED = 2;
const REFUSED = 3;
const LEFT = 4;
const STRIDE = 5;
const INPUTS = fields(STRIDE, {
  next: [NEXT, SHAPE],
  nextOfLink: [NEXT_OF_LINK, SHAPE],
  entered: [ENTERED, COUNTER],
  refused: [REFUSED, COUNTER],
  left: [LEFT, COUNTER],
});

const TIMER = 0;

/** What live ports need of the devices. */
interface LiveTools {
  /** A frame joins the queue of its class; false where more than `mostOctets` would wait there. */
  readonly send: (
    port: PortRow,
    frame: LiveFrame,
    octets: Uint8Array,
    mostOctets: number,
  ) => boolean;
}

/**
 * Ports with real hosts behind them: inputs enter at their times. It is a mechanism of its engine,
 * because it needs a timer and sends control frames of the real host. The next input of a port is
 * armed and no other, whether all are known before the run or each comes as it goes on: so a replay
 * executes the same events in the same order.
 */
export class LivePorts implements Mechanism {
  readonly name = 'live';
  /** By port: 1 where control frames are for the real host. */
  readonly isWire: Uint8Array;
  /** By port: 1 where frames leave for a real host. */
  readonly isLive: Uint8Array;
  private readonly state: Float64Array;
  private readonly specs: (LivePortSpec | undefined)[] = [];
  /** By port. */
  private readonly inputs: LiveInput[][] = [];
  private tools: LiveTools | null = null;

  constructor(
    tables: Tables,
    private readonly ports: Ports,
    private readonly host: MechanismHost,
    private readonly slot: number,
  ) {
    this.state = tables.float64('port', INPUTS);
    this.isWire = new Uint8Array(tables.count('port'));
    this.isLive = new Uint8Array(tables.count('port'));
  }

  /** Sets what is built after the mechanisms. */
  setTools(tools: LiveTools): void {
    this.tools = tools;
  }

  configurePort(port: PortRow, { live }: PortSpec): void {
    if (live === undefined) return;
    this.specs[port] = live;
    this.isLive[port] = 1;
    this.isWire[port] = live.isWire ? 1 : 0;
    this.inputs[port] = [...live.inputs];
    this.arm(port);
  }

  /** An input that was not known before the run; nothing from its time on has been executed. */
  add(port: PortRow, input: LiveInput): void {
    const inputs = this.inputs[port];
    const at = port * STRIDE;
    const waits = this.state[at + NEXT] < inputs.length;
    assert(!waits || inputs[inputs.length - 1].atPs <= input.atPs, 'live.inputs-in-order');
    if (!waits && this.state[at + NEXT_OF_LINK] === inputs.length) {
      // A run of hours keeps no octets that are in.
      inputs.length = 0;
      this.state[at + NEXT] = this.state[at + NEXT_OF_LINK] = 0;
    }
    inputs.push(input);
    if (!waits) this.arm(port);
  }

  counts(port: PortRow): LiveCounts {
    const at = port * STRIDE;
    const [entered, refused, left] = [ENTERED, REFUSED, LEFT].map((word) => this.state[at + word]);
    return { entered, refused, left };
  }

  /** A frame leaves for the real host. */
  leaves(port: PortRow): void {
    this.state[port * STRIDE + LEFT]++;
  }

  /** Behind a wire the real host speaks, and faults of the scenario: no machine of this engine. */
  mutes(port: PortRow, source: number): boolean {
    return this.isWire[port] !== 0 && source !== this.slot && source !== OWN_SLOTS.faults;
  }

  /** The link partner of a port is a real host: it may not know pauses. */
  isBehindWire(port: PortRow): boolean {
    const peer = this.ports.peer(port);
    return peer >= 0 && this.isWire[peer] !== 0;
  }

  /** Operating systems receive LLDPDUs; MAC control frames end in a NIC. */
  takesControl(port: PortRow, octets: Uint8Array): boolean {
    return this.isWire[port] !== 0 || readU16(octets, ETHERTYPE_AT) === ETHERTYPE_LLDP;
  }

  // Calls of the engine.

  onTimer(port: PortRow): void {
    const { now } = this.host.clock;
    const inputs = this.inputs[port];
    const { mostOctets } = this.specs[port]!;
    const at = port * STRIDE;
    let next = this.state[at + NEXT];
    assert(inputs[next].atPs <= now, 'live.input-is-due');
    for (; next < inputs.length && inputs[next].atPs <= now; next++) {
      const { frame, octets } = inputs[next];
      if (frame === null) this.host.requestControl(this.slot, port);
      else if (this.tools!.send(port, frame, octets, mostOctets)) this.state[at + ENTERED]++;
      else this.state[at + REFUSED]++;
    }
    this.state[at + NEXT] = next;
    this.settle(port);
    this.arm(port);
  }

  compose(port: PortRow, _leastEnd: number, octets: Uint8Array): number {
    const input = this.inputs[port][this.state[port * STRIDE + NEXT_OF_LINK]];
    octets.set(input.octets);
    this.state[port * STRIDE + NEXT_OF_LINK]++;
    if (this.settle(port)) this.host.requestControl(this.slot, port);
    return input.octets.length;
  }

  /** Passes over frames that are in; true if a control frame is due. */
  private settle(port: PortRow): boolean {
    const at = port * STRIDE;
    const inputs = this.inputs[port];
    const next = this.state[at + NEXT];
    let ofLink = this.state[at + NEXT_OF_LINK];
    while (ofLink < next && inputs[ofLink].frame !== null) ofLink++;
    this.state[at + NEXT_OF_LINK] = ofLink;
    return ofLink < next;
  }

  private arm(port: PortRow): void {
    const next = this.inputs[port][this.state[port * STRIDE + NEXT]];
    if (next !== undefined) this.host.arm(this.slot, port, TIMER, next.atPs);
  }
}
