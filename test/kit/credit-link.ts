import type { MechanismHost } from '../../services/engine/contract/flow-control.js';
import type { PortSpec, RetriedFrames } from '../../services/engine/contract/spec.js';
import type { CreditPortSpec } from '../../services/mechanisms/credit/spec.js';
import { accountRows } from '../../services/engine/contract/grants-spec.js';
import type { CreditLink } from '../../services/mechanisms/credit/invariants.js';
import { isSettled } from '../../services/mechanisms/credit/invariants.js';
import { WORD_WINDOW_MOST } from '../../services/mechanisms/credit/machine.js';
import type { CreditMechanism } from '../../services/mechanisms/credit/mechanism.js';
import { bareCredit } from './bare-credit.js';
import { ALLOWED, CONSUMED, LIMIT_SENT, PASSED } from '../../services/mechanisms/credit/records.js';
import { FramePool } from '../../services/engine/frame/frame-pool.js';
import { Clock } from '../../services/engine/kernel/clock.js';
import type { RandomStream } from '../../services/engine/kernel/random.js';
import { Tables } from '../../services/engine/kernel/tables.js';
import { WIRE_OVERHEAD_OCTETS } from '../../services/engine/units/ethernet.js';

/** What the wire does to control frames and to data, each with this probability. */
export interface Harm {
  readonly lose: number;
  readonly repeat: number;
  /** A bit of type or addresses is wrong, so that it is not what it was. */
  readonly corrupt: number;
  /** A bit of any octet is wrong, and the FCS is right nevertheless. */
  readonly flip: number;
  /** Arrives behind what was sent later. */
  readonly delay: number;
  readonly loseData: number;
}

export const NO_HARM: Harm = { lose: 0, repeat: 0, corrupt: 0, flip: 0, delay: 0, loseData: 0 };

export const KEEP_ALIVE_PS = 1e9;
export const SYNC_PS = 20e6;
/** There and back, behind a frame on the way there. */
export const ROUND_TRIP_PS = 2.1e6;

/** Priority 3 exchanges credit at both ends. */
export function creditSpec(
  bufferUnits: number,
  policy: 'static' | 'demand' = 'static',
  isWide = bufferUnits > WORD_WINDOW_MOST,
): CreditPortSpec {
  return {
    priorities: 0b1000,
    counts: 'cumulative',
    granting: {
      unitOctets: 64,
      isWide,
      frameUnits: 4,
      bufferUnits: [0, 0, 0, bufferUnits, 0, 0, 0, 0],
      loopUnits: [0, 0, 0, bufferUnits / 2, 0, 0, 0, 0],
      policy,
      keepUnits: new Array<number>(8).fill(4),
      isAsked: true,
      unsolicited: true,
      shaper: null,
      stepUnits: 16,
      refreshPs: 20e6,
      resyncPs: SYNC_PS,
      idlePs: 100e6,
    },
    asking: {
      unitOctets: 64,
      isWide,
      frameUnits: 4,
      bufferUnits: [0, 0, 0, bufferUnits, 0, 0, 0, 0],
      isDivided: policy === 'static',
      when: 'blocked',
      aheadUnits: new Array<number>(8).fill(0),
      isPatient: policy === 'static',
      pollPs: 8e6,
      reportPs: 20e6,
      syncPs: SYNC_PS,
      syncTries: 8,
      agePs: policy === 'demand' ? 200e6 : Infinity,
      keepUnits: new Array<number>(8).fill(4),
    },
    channels: [{ channel: 0, vlans: [], share: 1 }],
    tagWaitPs: null,
    keepAlivePs: KEEP_ALIVE_PS,
    roundTripPs: ROUND_TRIP_PS,
  };
}

const WAY_PS = 1e6;
const OCTET_PS = 80;
const CONTROL_PS = 84 * OCTET_PS;
/** A delayed frame comes so much later. */
const DELAY_PS = 30e6;
const IDENTITY = [0, 1, 2, 3, 4, 5, 6, 7];

/** No frame is looked at; one pool serves all links. */
const POOL = new FramePool(1 << 16);

interface Event {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

/** One end of a link: a mechanism, and what it asks of its device. */
class End implements MechanismHost {
  readonly clock: Clock;
  readonly credit: CreditMechanism;
  due = false;
  peer!: End;

  constructor(
    private readonly link: LossyCreditLink,
    spec: CreditPortSpec,
    mac: number,
    retry?: RetriedFrames,
  ) {
    this.clock = link.clock;
    const tables = new Tables({ device: 1, port: 1, credit: accountRows(spec) });
    this.credit = bareCredit(this, tables, POOL, {
      waitingOctets: () => link.waitingUnits * spec.asking.unitOctets,
      mayStart: () => {
        link.trySending();
      },
    });
    const port = { grants: spec, mac, classOf: IDENTITY, groupOf: IDENTITY, retry };
    this.credit.configurePort(0, port as unknown as PortSpec);
  }

  hold(): void {}
  announceStop(): void {}

  readonly hasListeners = new Uint8Array(1);

  announceNotice(): void {}
  announceQueue(): void {}
  announceGrantStep(): void {}

  announceShort(): void {}
  repeat(): void {}
  wakeAt(): void {}

  dropKept(): void {}
  wake(): void {}

  controlDue(): boolean {
    return this.due;
  }

  arm(_client: number, port: number, timer: number, time: number): void {
    this.link.at(Math.max(time, this.clock.now), () => {
      this.credit.onTimer(port, timer);
    });
  }

  disarm(): void {}

  requestControl(): void {
    if (this.due) return;
    this.due = true;
    this.link.at(this.clock.now, () => {
      this.due = false;
      const octets = new Uint8Array(64);
      const length = this.credit.compose(0, this.clock.now + CONTROL_PS, octets);
      if (length > 0) this.link.carry(this, octets.subarray(0, length));
    });
  }
}

/** Data goes one way with credit that comes the other way, over a wire that harms both. */
export class LossyCreditLink {
  readonly clock = new Clock();
  readonly sender: End;
  readonly receiver: End;
  readonly view: CreditLink;
  harm: Harm = NO_HARM;
  /** A frame stays in the receiver's buffer for less than this. */
  drainPs = 4e6;
  /** Units that the sender has to send. */
  waitingUnits = 0;
  /** Units in the receiver's buffer. */
  stored = 0;
  /** Units on the wire that will arrive. */
  inFlight = 0;
  sent = 0;
  /** Units that came when the buffer was full. */
  dropped = 0;
  private readonly bufferUnits: number;
  private events: Event[] = [];
  private order = 0;
  private wireFreeAt = 0;
  private sending = false;

  constructor(
    spec: CreditPortSpec,
    private readonly random: RandomStream,
    readonly row = 0,
    retry?: RetriedFrames,
  ) {
    this.bufferUnits = spec.granting.bufferUnits[3]!;
    this.sender = new End(this, spec, 1, retry);
    this.receiver = new End(this, spec, 2, retry);
    this.sender.peer = this.receiver;
    this.receiver.peer = this.sender;
    this.view = {
      sending: this.sender.credit,
      sendingRow: row,
      receiving: this.receiver.credit,
      receivingRow: row,
    };
  }

  at(time: number, act: () => void): void {
    this.events.push({ at: time, order: this.order++, act });
  }

  /** Executes events until a time; `look` is called after each. */
  run(until: number, look: () => void): void {
    for (;;) {
      let next = -1;
      this.events.forEach((event, i) => {
        const best = this.events[next];
        if (best === undefined || event.at < best.at) next = i;
        else if (event.at === best.at && event.order < best.order) next = i;
      });
      const event = this.events[next];
      if (event === undefined || event.at > until) break;
      this.events.splice(next, 1);
      this.clock.now = event.at;
      event.act();
      look();
    }
    this.clock.now = until;
  }

  offer(units: number): void {
    this.waitingUnits += units;
    this.trySending();
  }

  stop(): void {
    this.waitingUnits = 0;
    this.sender.credit.sender.unblock(this.row);
  }

  /** Sends the next frame, of one to four units, if there is credit for it. */
  trySending(): void {
    if (this.sending || this.waitingUnits === 0) return;
    const { sender } = this.sender.credit;
    const units = Math.min(1 + this.random.below(4), this.waitingUnits);
    if (!sender.mayStart(this.row, units * 64)) {
      sender.block(this.row);
      return;
    }
    sender.unblock(this.row);
    sender.spend(this.row, units);
    this.waitingUnits -= units;
    this.sent += units;
    const start = Math.max(this.clock.now, this.wireFreeAt);
    this.wireFreeAt = start + units * 64 * OCTET_PS;
    const lost = this.random.uniform() < this.harm.loseData;
    if (!lost) {
      this.inFlight += units;
      this.at(this.wireFreeAt + WAY_PS, () => {
        this.arrive(units);
      });
    }
    this.sending = true;
    this.at(this.wireFreeAt, () => {
      this.sending = false;
      this.trySending();
    });
  }

  /** A control frame goes its way, in the order of the data. */
  carry(from: End, octets: Uint8Array): void {
    const isSender = from === this.sender;
    const start = isSender ? Math.max(this.clock.now, this.wireFreeAt) : this.clock.now;
    const end = start + CONTROL_PS;
    if (isSender) this.wireFreeAt = end;
    const { random, harm } = this;
    if (random.uniform() < harm.lose) return;
    const corrupt = random.uniform() < harm.corrupt;
    const late = random.uniform() < harm.delay ? random.below(DELAY_PS) : 0;
    const copies = random.uniform() < harm.repeat ? 2 : 1;
    const image = octets.slice();
    // What a receiver makes of a frame whose type or address was hit; its FCS is wrong as well.
    if (corrupt) image[random.below(14)]! ^= 1 + random.below(255);
    const flips = harm.flip > 0 && random.uniform() < harm.flip;
    if (flips) image[random.below(image.length)]! ^= 1 << random.below(8);
    for (let i = 0; i < copies; i++) {
      this.at(end + WAY_PS + late + i * random.below(DELAY_PS), () => {
        from.peer.credit.receiveControl(0, image, image.length);
      });
    }
  }

  /** A message that neither end has sent. */
  forge(to: 'sender' | 'receiver', octets: Uint8Array): void {
    (to === 'sender' ? this.sender : this.receiver).credit.receiveControl(0, octets, octets.length);
  }

  private arrive(units: number): void {
    const { receiver } = this.receiver.credit;
    // On the line for as long as so many units take.
    receiver.take(this.row, units, units * 64 - WIRE_OVERHEAD_OCTETS);
    this.inFlight -= units;
    if (this.stored + units > this.bufferUnits) {
      this.dropped += units;
      receiver.free(this.row, units);
      return;
    }
    this.stored += units;
    this.at(this.clock.now + this.random.below(this.drainPs), () => {
      this.stored -= units;
      receiver.free(this.row, units);
    });
  }
}

/** With nothing on its way and nothing stored, all counts agree: no credit is lost for ever. */
export function nothingIsLost(link: CreditLink): boolean {
  const { sending, sendingRow, receiving, receivingRow } = link;
  const consumed = sending.sender.count(sendingRow, CONSUMED);
  const limit = sending.sender.count(sendingRow, ALLOWED);
  // What is free is granted on demand only, where grants are answers.
  const { unsolicited } = receiving.accounts.specOf(receivingRow).granting;
  const granted = unsolicited
    ? receiving.receiver.limit(receivingRow)
    : receiving.receiver.count(receivingRow, LIMIT_SENT);
  return (
    isSettled(link) &&
    receiving.receiver.occupied(receivingRow) === 0 &&
    receiving.receiver.count(receivingRow, PASSED) === consumed &&
    granted === limit
  );
}
