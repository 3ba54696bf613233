/**
 * How two services agree on the times up to which they may execute. A message says that nothing
 * earlier than its promise follows; a service executes up to the least promise and the horizon that
 * the coordinator granted. It relies on messages that are signed, numbered and kept until they are
 * acknowledged: the broker may lose, repeat and delay them. It would break if a promise were larger
 * than the earliest frame that may follow (a frame would arrive in the past, which is asserted), or
 * if lookahead counted anything but the shortest frame and the delay of a link.
 */

import type { FramePool } from '../../engine/frame/frame-pool.js';
import type { MacKey } from '../keys/mac.js';
import type { ChannelKeys } from '../keys/run-keys.js';
import type { ActorCounts, Actors } from './actors.js';
import { ReceivingEnd, SendingEnd } from './channel.js';
import { FrameReceiver, FrameSender } from './frame-batch.js';
import type { IncomingMessage } from './message-parser.js';
import { decodeMessage, encodeMessage, isAuthentic, PROTOCOL } from './messages.js';
import { Pace } from './pace.js';

/** Grant to run to a horizon; see proto/selvage/v1/control.proto. */
export interface Grant {
  readonly epoch: number;
  readonly round: number;
  readonly basePs: number;
  readonly endPs: number;
  readonly expected: readonly number[];
  readonly countFrames: boolean;
}

/** Its counts are -1 unless they were requested. */
export interface RoundReport extends ActorCounts {
  readonly epoch: number;
  readonly round: number;
  readonly nextPs: number;
  readonly handedOverPs: number;
  readonly sent: number[];
  readonly steps: number;
  readonly activeSteps: number;
  readonly handedOver: number;
  readonly takenOver: number;
  readonly messagesSent: number;
  readonly ignoredMessages: number;
  readonly resentMessages: number;
  readonly latestPs: number;
}

/** Where a protocol's messages are sent. */
interface SyncPort {
  send(peer: number, octets: Uint8Array): void;
  report(report: RoundReport): void;
  /** All expected messages have arrived. */
  gathered(): void;
}

interface SyncLimits {
  /** Octets of one message. */
  readonly maxPayload: number;
  /** Octets that are stored unacknowledged on one channel before the part waits. */
  readonly maxKept: number;
}

/** The time between two returns to a checkpoint, and its keys. */
interface Epoch {
  readonly number: number;
  readonly keys: ChannelKeys;
}

/** Room for everything in a message that is not frames. */
const ENVELOPE_OCTETS = 4096;
/** The part of it that control frames may take, and what each takes beside its octets. */
const CONTROL_OCTETS = ENVELOPE_OCTETS - 256;
const CONTROL_HEAD_OCTETS = 24;
/** A stream in one direction is acknowledged at least this often. */
const ACKNOWLEDGE_EVERY = 64;

const NOT_COUNTED: ActorCounts = {
  framesStarted: -1,
  framesStored: -1,
  planned: -1,
  packetsLeft: -1,
  packetsTotal: -1,
};

interface PendingControl {
  readonly link: number;
  readonly atPs: number;
  readonly octets: Uint8Array;
}

interface Outgoing {
  readonly protocol: number;
  epoch: number;
  from: number;
  to: number;
  acknowledged: number;
  sequence: number;
  promisePs: number;
  frames: Uint8Array;
  control: PendingControl[];
  bare: number;
  probe: boolean;
}

const NOTHING = new Uint8Array(0);
const NO_CONTROL: PendingControl[] = [];

/**
 * What the coordinator wants of this service. `gathering`: so many messages as expected have to
 * arrive on each channel, and then the grant starts, or all before a bound is executed.
 */
type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'gathering'; readonly expected: readonly number[]; readonly next: Next }
  | { readonly kind: 'running'; readonly grant: Grant };

type Next = { readonly grant: Grant } | { readonly boundPs: number };

const IDLE: State = { kind: 'idle' };

/** A step that has been announced to its peers, and that is not quite executed. */
interface Step {
  readonly grant: Grant;
  readonly spanPs: number;
  /** Executed so far. */
  readonly events: number;
}

interface Channel {
  readonly peer: number;
  readonly lookaheadInPs: number;
  readonly lookaheadOutPs: number;
  readonly links: number;
  readonly keyIn: MacKey;
  readonly keyOut: MacKey;
  sending: SendingEnd;
  receiving: ReceivingEnd;
  /** Bound of the other end: nothing arrives before this time. */
  boundInPs: number;
  boundOutPs: number;
  readonly framesOut: FrameSender;
  readonly framesIn: FrameReceiver;
  control: PendingControl[];
  /** A message arrived since the last tick of the probe timer. */
  received: boolean;
  askedForResend: boolean;
}

/**
 * One service's half of the sync protocol: synchronous, without clock or sockets, so that it can be
 * tested under any loss and order of messages. Between pairs of services, bounds; above all, rounds
 * that a coordinator grants (see ARCHITECTURE.md).
 */
export class SyncProtocol {
  private channels: Channel[] = [];
  private pace: Pace;
  private epoch = 0;
  private state: State = IDLE;
  /** Of the latest grant: one that arrives again is no further one. */
  private round = 0;
  /** Everything before this time has been executed, apart from what is left of `step`. */
  private executedPs = 0;
  private step: Step | null = null;
  private handedOverPs = Infinity;
  private steps = 0;
  private activeSteps = 0;
  private handedOver = 0;
  private takenOver = 0;
  private messages = 0;
  private readonly outgoing: Outgoing = {
    ...{ protocol: PROTOCOL, epoch: 0, from: 0, to: 0, acknowledged: 0, sequence: 0 },
    ...{ promisePs: 0, frames: NOTHING, control: NO_CONTROL, bare: 0, probe: false },
  };
  /** Messages that are not accepted, by reason; `stranger`: not signed, or not for this service. */
  readonly ignored = { malformed: 0, stranger: 0, epoch: 0, repeated: 0 };

  /** Sends and accepts nothing before its first epoch begins. */
  constructor(
    private part: Actors,
    private readonly service: number,
    private readonly port: SyncPort,
    private readonly limits: SyncLimits,
  ) {
    this.pace = this.takePace();
  }

  /** An epoch is over: nothing is sent or accepted until the next one begins. */
  end(next: number): void {
    this.epoch = next;
    this.channels = [];
    this.state = IDLE;
    this.round = 0;
    this.step = null;
  }

  /** Everything starts again from the present state of the part. */
  begin({ number, keys }: Epoch, part: Actors): void {
    this.end(number);
    this.part = part;
    this.channels = this.openChannels(keys);
    this.pace = this.takePace();
    this.executedPs = 0;
    // Before an epoch all frames from other services have been put into the parts.
    this.handedOver = 0;
    this.takenOver = 0;
  }

  /** Grant to run; it starts when everything that was sent to this service has arrived. */
  allow(grant: Grant): void {
    if (grant.epoch !== this.epoch || grant.round <= this.round) return;
    this.round = grant.round;
    this.state = { kind: 'gathering', expected: grant.expected, next: { grant } };
    this.handedOverPs = Infinity;
    this.steps = 0;
    this.activeSteps = 0;
    this.gather();
  }

  /**
   * Requests a call when so many messages have arrived on each channel. By then the samples that
   * are due before a bound are taken: the part may have had no part in the latest rounds.
   */
  await(expected: readonly number[], boundPs: number): void {
    this.state = { kind: 'gathering', expected, next: { boundPs } };
    this.gather();
  }

  /** A message from the broker. */
  receive(octets: Uint8Array): void {
    const message = decodeMessage(octets);
    if (message === null) {
      this.ignored.malformed++;
      return;
    }
    const channel = this.channelOf(message, octets);
    if (channel === null) return;
    channel.sending.acknowledge(message.acknowledged);
    if (message.sequence > 0) {
      this.receiveContent(channel, message);
      return;
    }
    // A probe that is replayed must not have everything sent again.
    if (!channel.receiving.takeBare(message.bare)) {
      this.ignored.repeated++;
      return;
    }
    channel.received = true;
    if (!message.probe) return;
    channel.sending.resend((kept) => {
      this.port.send(channel.peer, kept);
    });
    this.sendBare(channel, false);
  }

  /**
   * Advances as far as the bounds of other services and the grant allow; false if it could not.
   * Devices with links to other services are executed first, and where there are many events the
   * others wait for the next call: what was sent is in flight while they are executed.
   */
  advance(): boolean {
    const begun = this.step;
    this.step = null;
    const step = begun ?? this.beginStep();
    if (step === null) return false;
    if (begun === null && this.pace.isBusy) this.step = step;
    else this.finishStep(step);
    return true;
  }

  private beginStep(): Step | null {
    const { state, part } = this;
    if (state.kind !== 'running' || this.isClogged()) return null;
    const { grant } = state;
    const allowedPs = this.channels.reduce((b, c) => Math.min(b, c.boundInPs), grant.endPs);
    if (allowedPs <= this.executedPs) return null;
    this.steps++;
    const nextPs = part.nextTime();
    const stepPs = Math.min(this.pace.stepPs, part.longestStepPs);
    const bound = Math.min(allowedPs, nextPs + stepPs);
    const spanPs = bound - nextPs;
    if (spanPs > 0) this.activeSteps++;
    const events = part.runBorderTo(bound);
    part.take(this.egressPath);
    this.executedPs = bound;
    for (let c = 0; c < this.channels.length; c++) this.send(c, grant);
    return { grant, spanPs, events };
  }

  private finishStep({ grant, spanPs, events }: Step): void {
    const all = events + this.part.runTo(this.executedPs);
    if (spanPs > 0) this.pace.note(spanPs, all);
    if (this.executedPs === grant.endPs) this.finishRound(grant);
  }

  /** Called periodically while no message arrives: the last one may be lost. */
  tick(): void {
    this.channels.forEach((channel, c) => {
      if (!channel.received && this.waitsFor(channel, c)) this.sendBare(channel, true);
      channel.received = false;
      channel.askedForResend = false;
    });
  }

  /** The broker was unavailable: what was published meanwhile may be lost. */
  reconnected(): void {
    for (const channel of this.channels) this.sendBare(channel, true);
  }

  /** Everything before has been executed in this epoch. */
  get executedBeforePs(): number {
    return this.executedPs;
  }

  get messagesSent(): number {
    return this.messages;
  }

  /** Services whose messages or bounds are missing. */
  get waitsForServices(): number[] {
    return this.channels.flatMap((channel, c) => (this.waitsFor(channel, c) ? channel.peer : []));
  }

  private readonly egressPath = {
    frame: (c: number, queue: number, pool: FramePool, frame: number): void => {
      this.channels[c]!.framesOut.add(queue, pool, frame);
      this.noteHandedOver(pool.arrival(frame));
      this.handedOver++;
    },
    control: (c: number, link: number, atPs: number, octets: Uint8Array): void => {
      this.channels[c]!.control.push({ link, atPs, octets: octets.slice() });
      this.noteHandedOver(atPs);
    },
  };

  private noteHandedOver(atPs: number): void {
    const { state } = this;
    if (state.kind !== 'running' || atPs < state.grant.endPs) return;
    if (atPs < this.handedOverPs) this.handedOverPs = atPs;
  }

  private takePace(): Pace {
    const { channels } = this.part;
    return new Pace(Math.min(...channels.map(({ lookaheadOutPs }) => lookaheadOutPs)));
  }

  private openChannels(keys: ChannelKeys): Channel[] {
    const { service } = this;
    return this.part.channels.map(({ peer, lookaheadInPs, lookaheadOutPs, links }) => ({
      ...{ peer, lookaheadInPs, lookaheadOutPs, links },
      keyIn: keys(peer, service),
      keyOut: keys(service, peer),
      sending: new SendingEnd(),
      receiving: new ReceivingEnd(),
      boundInPs: 0,
      boundOutPs: 0,
      framesOut: new FrameSender(this.limits.maxPayload - ENVELOPE_OCTETS),
      framesIn: new FrameReceiver(links),
      control: [],
      received: true,
      askedForResend: false,
    }));
  }

  /** The channel that a message belongs to; null, and counted, if it is not for us. */
  private channelOf(message: IncomingMessage, octets: Uint8Array): Channel | null {
    if (message.epoch !== this.epoch) {
      this.ignored.epoch++;
      return null;
    }
    const isOurs = message.protocol === PROTOCOL && message.to === this.service;
    const channel = isOurs ? this.channels.find(({ peer }) => peer === message.from) : undefined;
    if (channel !== undefined && isAuthentic(octets, channel.keyIn)) return channel;
    this.ignored.stranger++;
    return null;
  }

  private receiveContent(channel: Channel, message: IncomingMessage): void {
    const { receiving } = channel;
    const areFrames = channel.framesIn.accepts(message.frames);
    if (!areFrames || message.control.some(({ link }) => link >= channel.links)) {
      this.ignored.malformed++;
      return;
    }
    const verdict = receiving.take(message.sequence);
    if (verdict === 'again') this.ignored.repeated++;
    if (verdict === 'gap' && !channel.askedForResend) {
      channel.askedForResend = true;
      this.sendBare(channel, true);
    }
    if (verdict !== 'next') return;
    channel.received = true;
    channel.askedForResend = false;
    this.takeOver(channel, message);
    channel.boundInPs = Math.max(channel.boundInPs, message.promisePs);
    if (receiving.sequence - receiving.acknowledged >= ACKNOWLEDGE_EVERY) {
      this.sendBare(channel, false);
    }
    this.gather();
  }

  private takeOver(channel: Channel, message: IncomingMessage): void {
    const { framesIn } = channel;
    const c = this.channels.indexOf(channel);
    for (let queue = framesIn.next(); queue >= 0; queue = framesIn.next()) {
      this.part.putFrame(c, queue, framesIn.record, 0);
      this.takenOver++;
    }
    for (const { link: queue, atPs, octets } of message.control) {
      this.part.putControl(c, queue, atPs, octets);
    }
  }

  private gather(): void {
    const { state } = this;
    if (state.kind !== 'gathering') return;
    if (this.channels.some((channel, c) => this.waitsFor(channel, c))) return;
    if ('grant' in state.next) {
      this.start(state.next.grant);
      return;
    }
    this.state = IDLE;
    this.part.runTo(state.next.boundPs);
    this.port.gathered();
  }

  private start(grant: Grant): void {
    for (const channel of this.channels) {
      const leastPs = grant.basePs + channel.lookaheadInPs;
      channel.boundInPs = Math.max(channel.boundInPs, leastPs);
      channel.boundOutPs = Math.max(channel.boundOutPs, grant.basePs + channel.lookaheadOutPs);
    }
    this.state = { kind: 'running', grant };
    // A round of no length: there is nothing to execute, only to report.
    if (grant.endPs <= this.executedPs) this.finishRound(grant);
  }

  /** Frames and the bound that nothing earlier follows, if there is any change. */
  private send(c: number, grant: Grant): void {
    const channel = this.channels[c]!;
    const { framesOut, control } = channel;
    const promisePs = this.part.promisePs(c, this.executedPs);
    const needsPromise = channel.boundOutPs < grant.endPs;
    if (framesOut.isEmpty && control.length === 0 && !needsPromise) return;
    const pieces = framesOut.takePieces();
    const last = pieces.pop() ?? NOTHING;
    for (const piece of pieces) this.sendPiece(channel, piece, [], 0);
    for (let fit = fitting(control); fit < control.length; fit = fitting(control)) {
      this.sendPiece(channel, NOTHING, control.splice(0, fit), 0);
    }
    this.sendPiece(channel, last, control, promisePs);
    channel.boundOutPs = promisePs;
    channel.control = [];
  }

  private sendPiece(
    channel: Channel,
    frames: Uint8Array,
    control: PendingControl[],
    promisePs: number,
  ): void {
    const { sending, receiving } = channel;
    sending.sequence++;
    receiving.acknowledged = receiving.sequence;
    const message = this.addressed(channel);
    message.sequence = sending.sequence;
    message.promisePs = promisePs;
    message.frames = frames;
    message.control = control;
    const octets = encodeMessage(message, channel.keyOut);
    sending.keep(octets);
    this.messages++;
    this.port.send(channel.peer, octets);
  }

  /** A message without content: an acknowledgement, and perhaps a probe for what is missing. */
  private sendBare(channel: Channel, probe: boolean): void {
    channel.receiving.acknowledged = channel.receiving.sequence;
    this.messages++;
    const message = this.addressed(channel);
    message.bare = ++channel.sending.bare;
    message.probe = probe;
    this.port.send(channel.peer, encodeMessage(message, channel.keyOut));
  }

  /** The one message that is filled again and again, with nothing in it but its address. */
  private addressed({ peer, receiving }: Channel): Outgoing {
    const { outgoing } = this;
    outgoing.epoch = this.epoch;
    outgoing.from = this.service;
    outgoing.to = peer;
    outgoing.acknowledged = receiving.sequence;
    outgoing.sequence = 0;
    outgoing.promisePs = 0;
    outgoing.frames = NOTHING;
    outgoing.control = NO_CONTROL;
    outgoing.bare = 0;
    outgoing.probe = false;
    return outgoing;
  }

  private finishRound(grant: Grant): void {
    const { part, channels, ignored } = this;
    this.state = IDLE;
    this.port.report({
      ...(grant.countFrames ? part.count() : NOT_COUNTED),
      epoch: grant.epoch,
      round: grant.round,
      nextPs: part.nextTime(),
      handedOverPs: this.handedOverPs,
      sent: channels.map(({ sending }) => sending.sequence),
      steps: this.steps,
      activeSteps: this.activeSteps,
      handedOver: this.handedOver,
      takenOver: this.takenOver,
      messagesSent: this.messages,
      ignoredMessages: ignored.malformed + ignored.stranger,
      resentMessages: channels.reduce((sum, { sending }) => sum + sending.resent, 0),
      latestPs: part.latestPs,
    });
  }

  /** Too much is unacknowledged: no more is sent to a service that does not answer. */
  private isClogged(): boolean {
    return this.channels.some(({ sending }) => sending.keptOctets > this.limits.maxKept);
  }

  /** Whether messages, a bound or acknowledgements of a channel are missing for what comes next. */
  private waitsFor({ receiving, sending, boundInPs }: Channel, c: number): boolean {
    const { state } = this;
    switch (state.kind) {
      case 'idle':
        return false;
      case 'gathering':
        return receiving.sequence < (state.expected[c] ?? 0);
      case 'running':
        return boundInPs <= this.executedPs || sending.keptOctets > this.limits.maxKept;
    }
  }
}

/** How many control frames, from the first on, an envelope has room for: at least one. */
function fitting(control: readonly PendingControl[]): number {
  let octets = 0;
  const beyond = control.findIndex((pending) => {
    octets += CONTROL_HEAD_OCTETS + pending.octets.length;
    return octets > CONTROL_OCTETS;
  });
  return beyond < 0 ? control.length : Math.max(1, beyond);
}
