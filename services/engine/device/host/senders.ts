import { WIRE_OVERHEAD_OCTETS } from '../../units/ethernet.js';
import type { SendSpec, TransportSpec } from '../../contract/spec.js';
import {
  CLASS,
  CONNECTION,
  FramePool,
  HASH,
  LENGTH,
  REMAINING,
  SEQUENCE,
  SOURCE,
  TARGET,
  VLAN,
} from '../../frame/frame-pool.js';
import { RandomStream } from '../../kernel/random.js';
import { doubleCell } from '../../kernel/cells.js';
import type { Clock } from '../../kernel/clock.js';
import {
  COUNTER,
  countdown,
  DUE,
  due,
  dueTowards,
  limit,
  sequence,
  SHAPE,
  since,
  STAMP,
} from '../../kernel/kinds.js';
import type { Tables } from '../../kernel/tables.js';
import type { ReleaseClock } from './release.js';
import { makeReleaseClock } from './release.js';
import { assert } from '../../kernel/assert.js';
import { field, fields } from '../../kernel/fields.js';
import type {
  Transport,
  TransportEnds,
  TransportKind,
  TransportSender,
  TrackedRows,
} from '../../contract/transport.js';
import type { FrameRef } from '../../units/indices.js';

// Words of a connection record, in doubles.

/** Next packet to send, counted from 0 over all messages. */
const NEXT = 0;
/** Oldest packet not acknowledged. */
const UNACKED = 1;
/** Packets that may be sent so far. */
const RELEASED = 2;
const TOTAL = 3;
/** Release time of packet RELEASED; Infinity where messages, not packets, are released. */
const RELEASE_AT = 4;
/** Earliest start of the next packet at the flow's own rate. */
const PACE_AT = 5;
/** Time without progress at which the oldest unacknowledged packets are retransmitted. */
const DEADLINE = 6;
/** Packets of the current message from NEXT to its end. */
const LEFT = 7;
const WINDOW = 8;
const PER_MESSAGE = 9;
const LAST_OCTETS = 10;
const PACE_PS = 11;
/** Release time of what is sent now. */
const BORN = 12;
/** One past the highest packet ever sent. */
const HIGHEST = 13;
/** Retransmission timeout while acknowledgements make progress. */
const TIMEOUT = 14;
const END = 15;
const STRIDE = 16;
/** Enough to indicate that a message does not end soon (an endless one never does). */
export const MOST_REMAINING = 0x7fffffff;

const PACKET = sequence(Infinity);
const SENDER = fields(STRIDE, {
  next: [NEXT, PACKET],
  unacked: [UNACKED, PACKET],
  released: [RELEASED, limit('next')],
  total: [TOTAL, limit('next')],
  releaseAt: [RELEASE_AT, DUE],
  paceAt: [PACE_AT, DUE],
  deadline: [DEADLINE, since(0)],
  left: [LEFT, countdown(Infinity, MOST_REMAINING)],
  window: [WINDOW, SHAPE],
  perMessage: [PER_MESSAGE, SHAPE],
  lastOctets: [LAST_OCTETS, SHAPE],
  pacePs: [PACE_PS, SHAPE],
  born: [BORN, STAMP],
  highest: [HIGHEST, PACKET],
  timeout: [TIMEOUT, SHAPE],
  end: [END, dueTowards('releaseAt')],
});

/**
 * So many timeouts in a row: what was lost each time, at rates at which anything arrives, is lost
 * for good.
 */
const HOPELESS_TIMEOUTS = 32;

export const READY = 0;
/** Nothing to send until an event (an ACK, a message). */
const BLOCKED = 1;
/** Nothing to send until a time that is known. */
export const LATER = 2;

/** Of what is not in tables; release times of messages stand while none is released. */
export const SENDER_EXTRAS = { messageBorn: SHAPE };

interface SenderExtras {
  readonly clocks: (ReleaseClock | null)[];
  readonly messageBorn: (Float64Array | null)[];
}

/** The sending ends of flows: what may be sent next, and what must be retransmitted. */
export type Senders = ReturnType<typeof makeSenders>;

export function makeSenders(tables: Tables, clock: Clock, kinds: readonly TransportKind[]) {
  const state = tables.float64('send', SENDER);
  /** A frame per connection with everything that does not change from packet to packet. */
  const templates = new FramePool(tables.count('send'));
  const template = new Int32Array(state.length / STRIDE);
  const specs: SendSpec[] = [];
  const clocks: (ReleaseClock | null)[] = [];
  /** Release times of messages, for flows whose messages wait for others: by message. */
  const messageBorn: (Float64Array | null)[] = [];
  /** By connection. */
  const retransmitted = tables.float64('send', field('retransmitted', COUNTER));
  const timeouts = tables.float64('send', field('timeouts', COUNTER));
  const sentFrames = tables.float64('send', field('sent frames', COUNTER));
  /** The pace of a connection before it was paused for a time; -1 while it is not. */
  const paceBefore = tables.float64('send', field('pace before', due(-1))).fill(-1);
  /** When the retransmission timer of a connection expires; Infinity while it is not running. */
  const timerAt = tables.float64('send', field('timer at', DUE)).fill(Infinity);
  /** Oldest unacknowledged packet at the last timeout, and the timeout that follows that one. */
  const stalledAt = tables.float64('send', field('stalled at', sequence(-1))).fill(-1);
  const backedOff = tables.float64('send', field('backed off', SHAPE));
  /** Timeouts in a row for that packet. */
  const inVain = tables.float64('send', field('in vain', SHAPE));
  const retry = doubleCell();
  /** By connection: with fewer packets outstanding, its timer expires so much sooner. */
  const fewPackets = new Int32Array(template.length);
  const soonerPs = new Float64Array(template.length);
  const connections: TransportEnds = {
    clock,
    unacked,
    next: nextPacket,
    highest,
    acknowledge,
    goTo,
    waiting: (c) => state[c * STRIDE + RELEASED] - state[c * STRIDE + HIGHEST],
    pace: (device, atPs) => {
      pacing!.pace(device, atPs);
    },
    tell: (device, c, say) => {
      pacing!.tell(device, c, say);
    },
  };
  /** Null until hosts exist. */
  let pacing: Pick<TransportEnds, 'pace' | 'tell'> | null = null;
  const transports = new Map(kinds.map((own) => [own.kind, own.create(tables, connections)]));
  /** By connection; raw ones have none. */
  const sendingOf: TransportSender[] = [];
  /** The same of those that say more of each packet, or admit it. */
  const steered = new Array<TransportSender | null>(template.length).fill(null);

  function configure(c: number, spec: SendSpec, seed: number, rows: TrackedRows): void {
    specs[c] = spec;
    if (spec.transport !== null) sendingOf[c] = transportOf(spec.transport).sending;
    const random = new RandomStream(seed, `${spec.name}/release`);
    clocks[c] = makeReleaseClock(spec.release, spec.startPs, random);
    messageBorn[c] = isReleasedByMessage(spec) ? new Float64Array(spec.messages) : null;
    template[c] = makeTemplate(spec);
    initialise(c, spec);
    if (spec.transport === null) return;
    sendingOf[c].configure?.(c, spec, rows);
    if (sendingOf[c].departs !== undefined) steered[c] = sendingOf[c];
  }

  function transportOf({ kind }: TransportSpec): Transport {
    const transport = transports.get(kind);
    assert(transport !== undefined, 'sender.known-transport');
    return transport;
  }

  /** State of some connections that is not in the tables. */
  function extras(first: number, count: number): SenderExtras {
    return {
      clocks: clocks.slice(first, first + count),
      messageBorn: messageBorn.slice(first, first + count),
    };
  }

  /** The flow starts: packets that do not wait for other messages are released. */
  function start(c: number): void {
    const s = c * STRIDE;
    const spec = specs[c];
    const clock = clocks[c];
    if (clock !== null) state[s + RELEASE_AT] = clock.next();
    else if (!isReleasedByMessage(spec)) state[s + RELEASED] = state[s + TOTAL];
  }

  /**
   * Messages of a flow that waits for others: the first `messages` are released. True if that is
   * new.
   */
  function releaseMessages(c: number, messages: number): boolean {
    const s = c * STRIDE;
    const per = state[s + PER_MESSAGE];
    const released = Math.min(messages * per, state[s + TOTAL]);
    const before = state[s + RELEASED];
    if (released <= before) return false;
    assert(released % per === 0, 'sender.whole-messages');
    const born = messageBorn[c];
    if (born !== null) born.fill(clock.now, before / per, released / per);
    state[s + RELEASED] = released;
    return true;
  }

  /** Whether a connection may send now; LATER: try again at `retryAt`. */
  function readiness(c: number): number {
    const s = c * STRIDE;
    const { now } = clock;
    const next = state[s + NEXT];
    if (next >= state[s + UNACKED] + state[s + WINDOW]) return BLOCKED;
    if (next >= state[s + RELEASED]) {
      if (next >= state[s + TOTAL]) return BLOCKED;
      const at = state[s + RELEASE_AT];
      if (at >= state[s + END]) return BLOCKED;
      if (at > now) return later(at);
    } else if (now >= state[s + END] && next >= state[s + HIGHEST]) return BLOCKED;
    const permittedPs = steered[c]?.permittedAt?.(c) ?? 0;
    if (permittedPs > now) return permittedPs === Infinity ? BLOCKED : later(permittedPs);
    const pace = state[s + PACE_AT];
    return pace > now ? later(pace) : READY;
  }

  /** When to try again, after LATER. */
  function retryAt(): number {
    return retry[0];
  }

  /** Makes the next packet of a connection that is READY. */
  function build(c: number, pool: FramePool): number {
    const s = c * STRIDE;
    const next = state[s + NEXT];
    if (next >= state[s + RELEASED]) releasePacket(c, s);
    const frame = pool.copyFrom(templates, template[c]);
    const { words, ends } = pool;
    const left = state[s + LEFT] - 1;
    assert(next < state[s + RELEASED], 'sender.packet-is-released');
    assert(left >= 0, 'sender.packet-of-message');
    words[frame + SEQUENCE] = next;
    if (left === 0) {
      words[frame + LENGTH] = state[s + LAST_OCTETS];
      state[s + LEFT] = state[s + PER_MESSAGE];
    } else state[s + LEFT] = left;
    ends[frame + REMAINING] = Math.min(left, MOST_REMAINING);
    pool.setBorn(frame, bornOf(c, s, next));
    steered[c]?.departs?.(c, pool, frame, next < state[s + HIGHEST]);
    state[s + NEXT] = next + 1;
    if (next < state[s + HIGHEST]) resent(c, s, next);
    else state[s + HIGHEST] = next + 1;
    sentFrames[c]++;
    const pace = state[s + PACE_PS];
    paceBefore[c] = -1;
    if (pace !== 0) {
      state[s + PACE_AT] =
        clock.now + Math.round((words[frame + LENGTH] + WIRE_OVERHEAD_OCTETS) * pace);
    }
    return frame;
  }

  /** What follows is up to the transport, which may leave some out. */
  function resent(c: number, s: number, packet: number): void {
    retransmitted[c]++;
    const following = sendingOf[c].follows(c, packet);
    if (following !== packet + 1) rewind(s, following);
  }

  /**
   * Changes the least time per octet; it counts from the last frame, of so many octets on the wire.
   * The flow's own rate limits it, too.
   */
  function setPace(c: number, psPerOctet: number, lastAt: number, lastOctets: number): void {
    const s = c * STRIDE;
    const pace = Math.max(specs[c].pacePsPerOctet, psPerOctet);
    assert(pace >= 0 && pace < Infinity, 'sender.pace');
    state[s + PACE_PS] = pace;
    state[s + PACE_AT] = lastAt + Math.round(lastOctets * pace);
  }

  /** Changes how many packets may be unacknowledged, within the flow's own window. */
  function setWindow(c: number, packets: number): void {
    assert(packets >= 1, 'sender.window-of-a-packet');
    state[c * STRIDE + WINDOW] = Math.min(specs[c].windowPackets, packets);
  }

  function nextPacket(c: number): number {
    return state[c * STRIDE + NEXT];
  }

  function unacked(c: number): number {
    return state[c * STRIDE + UNACKED];
  }

  function highest(c: number): number {
    return state[c * STRIDE + HIGHEST];
  }

  function goTo(c: number, packet: number): void {
    rewind(c * STRIDE, packet);
  }

  function isReliable(c: number): boolean {
    return specs[c].transport !== null;
  }

  /** Builds no packet for a time from now on; zero ends an earlier stop. */
  function stopFor(c: number, durationPs: number): void {
    const pace = c * STRIDE + PACE_AT;
    assert(durationPs >= 0, 'sender.stopped-for-a-time');
    if (paceBefore[c] < 0) paceBefore[c] = state[pace];
    state[pace] = Math.max(paceBefore[c], clock.now + durationPs);
    if (durationPs === 0) paceBefore[c] = -1;
  }

  function tellsLoss(c: number, pool: FramePool, frame: FrameRef): boolean {
    return sendingOf[c].tellsLoss(c, pool, frame);
  }

  function answered(c: number, pool: FramePool, frame: FrameRef): boolean {
    return sendingOf[c].answered(c, pool, frame);
  }

  function acknowledge(c: number, expected: number): boolean {
    const s = c * STRIDE;
    assert(expected <= state[s + HIGHEST], 'sender.acknowledged-was-sent');
    if (expected <= state[s + UNACKED]) return false;
    state[s + UNACKED] = expected;
    state[s + DEADLINE] = clock.now + state[s + TIMEOUT];
    if (state[s + NEXT] < expected) rewind(s, expected);
    return true;
  }

  /** When all of it had been acknowledged; Infinity: it has not, or nobody acknowledges it. */
  function acknowledgedAt(c: number): number {
    const s = c * STRIDE;
    if (!isReliable(c) || state[s + UNACKED] < state[s + TOTAL]) return Infinity;
    // The last progress set the deadline, and nothing has since.
    return state[s + DEADLINE] - state[s + TIMEOUT];
  }

  /** The name of an invariant of its transport that does not hold; null if all do. */
  function broken(c: number): string | null {
    return specs[c].transport === null ? null : (sendingOf[c].broken?.(c) ?? null);
  }

  /** Something was sent that is not acknowledged. */
  function outstanding(c: number): boolean {
    return state[c * STRIDE + UNACKED] < state[c * STRIDE + NEXT];
  }

  /** Time of the retransmission timer if one is needed, Infinity if nothing is outstanding. */
  function deadline(c: number): number {
    if (!outstanding(c)) return Infinity;
    const s = c * STRIDE;
    const isFew = state[s + HIGHEST] - state[s + UNACKED] < fewPackets[c];
    const isUsual = stalledAt[c] !== state[s + UNACKED];
    return isFew && isUsual ? state[s + DEADLINE] - soonerPs[c] : state[s + DEADLINE];
  }

  /**
   * Starts the retransmission timer of a connection that has just sent its first outstanding
   * packet.
   */
  function extendDeadline(c: number): void {
    const s = c * STRIDE;
    state[s + DEADLINE] = clock.now + timeoutOf(c);
  }

  /**
   * The transport sends the oldest packet again that was not acknowledged, and what it deems lost.
   * The timeout doubles up to its bound until an acknowledgement makes progress.
   */
  function timeOut(c: number): void {
    const s = c * STRIDE;
    assert(state[s + UNACKED] < state[s + NEXT], 'sender.timed-out-is-outstanding');
    timeouts[c]++;
    sendingOf[c].timedOut(c);
    assert(specs[c].maxTimeoutPs >= state[s + TIMEOUT], 'sender.longest-timeout');
    backedOff[c] = Math.min(2 * timeoutOf(c), specs[c].maxTimeoutPs);
    inVain[c] = stalledAt[c] === state[s + UNACKED] ? inVain[c] + 1 : 1;
    stalledAt[c] = state[s + UNACKED];
    state[s + DEADLINE] = clock.now + backedOff[c];
  }

  /** Retransmissions of the oldest packet are lost again and again: nothing else is to come. */
  function isHopeless(c: number): boolean {
    return stalledAt[c] === state[c * STRIDE + UNACKED] && inVain[c] >= HOPELESS_TIMEOUTS;
  }

  /** The retransmission timeout that applies now: acknowledgements that make progress reset it. */
  function timeoutOf(c: number): number {
    const s = c * STRIDE;
    return stalledAt[c] === state[s + UNACKED] ? backedOff[c] : state[s + TIMEOUT];
  }

  /**
   * When the oldest packet that is not sent (reliable: not acknowledged) was offered, of those
   * offered by `now`; Infinity if there is none.
   */
  function waitsSince(c: number, now: number): number {
    const s = c * STRIDE;
    const oldest = state[s + (isReliable(c) ? UNACKED : NEXT)];
    if (oldest < state[s + RELEASED]) {
      // A stream offers nothing new from its end on.
      if (now >= state[s + END] && oldest >= state[s + HIGHEST]) return Infinity;
      const messages = messageBorn[c];
      return messages === null
        ? specs[c].startPs
        : messages[Math.floor(oldest / state[s + PER_MESSAGE])];
    }
    const at = state[s + RELEASE_AT];
    return at < state[s + END] && at <= now ? at : Infinity;
  }

  /** When the next packet may start at the pace of the connection. */
  function pacedUntil(c: number): number {
    return state[c * STRIDE + PACE_AT];
  }

  /** Time between packets of full length. */
  function paceGapPs(c: number): number {
    return (specs[c].fullFrameOctets + WIRE_OVERHEAD_OCTETS) * state[c * STRIDE + PACE_PS];
  }

  /** When a message was released; Infinity: it was not. */
  function releasedAt(c: number, message: number): number {
    const s = c * STRIDE;
    if (message * state[s + PER_MESSAGE] >= state[s + RELEASED]) return Infinity;
    return messageBorn[c]?.[message] ?? specs[c].startPs;
  }

  /** Packets not yet acknowledged (reliable) or sent. */
  function remaining(c: number): number {
    const s = c * STRIDE;
    const done = isReliable(c) ? state[s + UNACKED] : state[s + NEXT];
    assert(done <= state[s + TOTAL], 'sender.done-of-total');
    return state[s + TOTAL] - done;
  }

  function later(time: number): number {
    retry[0] = time;
    return LATER;
  }

  function rewind(s: number, to: number): void {
    assert(to >= state[s + UNACKED] && to <= state[s + HIGHEST], 'sender.rewound-to-sent');
    state[s + NEXT] = to;
    const per = state[s + PER_MESSAGE];
    state[s + LEFT] = per === Infinity ? Infinity : per - (to % per);
  }

  function releasePacket(c: number, s: number): void {
    state[s + RELEASED]++;
    state[s + BORN] = state[s + RELEASE_AT];
    state[s + RELEASE_AT] = clocks[c]?.next() ?? Infinity;
  }

  function bornOf(c: number, s: number, packet: number): number {
    const messages = messageBorn[c];
    if (messages !== null) return messages[Math.floor(packet / state[s + PER_MESSAGE])];
    if (isReliable(c)) return specs[c].startPs;
    return clocks[c] === null ? clock.now : state[s + BORN];
  }

  function initialise(c: number, spec: SendSpec): void {
    const s = c * STRIDE;
    assert(spec.windowPackets >= 1 && spec.lastFrameOctets > 0, 'sender.spec');
    assert(spec.lastFrameOctets <= spec.fullFrameOctets, 'sender.last-frame-is-no-longer');
    state[s + TOTAL] = spec.packetsPerMessage * spec.messages;
    // Nobody acknowledges raw frames, and no window limits them.
    if (spec.transport === null) state[s + UNACKED] = Infinity;
    state[s + RELEASE_AT] = Infinity;
    state[s + LEFT] = spec.packetsPerMessage;
    state[s + WINDOW] = spec.windowPackets;
    state[s + PER_MESSAGE] = spec.packetsPerMessage;
    state[s + LAST_OCTETS] = spec.lastFrameOctets;
    state[s + PACE_PS] = spec.pacePsPerOctet;
    state[s + TIMEOUT] = spec.timeoutPs;
    state[s + END] = spec.endPs;
    fewPackets[c] = spec.fewPackets;
    soonerPs[c] = spec.timeoutPs - spec.fewTimeoutPs;
  }

  function makeTemplate(spec: SendSpec): number {
    const frame = templates.allocate();
    const { words, ends } = templates;
    words[frame + LENGTH] = spec.fullFrameOctets;
    words[frame + CLASS] = spec.frameClass;
    words[frame + HASH] = spec.hash;
    ends[frame + SOURCE] = spec.source;
    words[frame + TARGET] = spec.target;
    ends[frame + CONNECTION] = spec.remote;
    ends[frame + VLAN] = spec.vlan;
    templates.setFlowId(frame, spec.flowId);
    return frame;
  }

  return {
    setPacing: (own: Pick<TransportEnds, 'pace' | 'tell'>) => {
      pacing = own;
    },
    retryAt,
    outstanding,
    retransmitted,
    timeouts,
    sentFrames,
    timerAt,
    configure,
    extras,
    start,
    releaseMessages,
    readiness,
    build,
    stopFor,
    setPace,
    setWindow,
    nextPacket,
    isReliable,
    transportOf,
    tellsLoss,
    answered,
    deadline,
    extendDeadline,
    timeOut,
    isHopeless,
    waitsSince,
    pacedUntil,
    paceGapPs,
    releasedAt,
    remaining,
    acknowledgedAt,
    broken,
  };
}

/** Its messages wait for others, or for operations of a rank. */
function isReleasedByMessage({ after, byOperation }: SendSpec): boolean {
  return after.length > 0 || byOperation;
}
