import type { PortSpec } from '../contract/spec.js';
import { assert } from '../kernel/assert.js';
import { DERIVED, DUE, SHAPE } from '../kernel/kinds.js';
import type { Tables } from '../kernel/tables.js';
import type { PortRow, Priority, TrafficClass } from '../units/indices.js';
import { double, field, fields } from '../kernel/fields.js';

// Words of a port.

/** First and last frame in flight towards the port. */
export const IN_FLIGHT_QUEUE_HEAD = 0;
export const IN_FLIGHT_QUEUE_TAIL = 1;
/** Traffic classes whose first frame may start unless it is blocked, one bit each. */
export const READY = 2;
/** Priorities that may not start a frame, one bit each: the union over all gates. */
export const BLOCKED = 3;
/** Mechanisms that have a control frame to send, one bit each; above, those that are muted. */
const CONTROL_DUE = 4;
const MUTED_SHIFT = 16;
const SOURCES = 0xffff;
const CLASSES = 0xff;
export const OCTET_PS = 5;
/** How a blocked priority stops a class: see `STALL_BY_HEAD` and what follows. */
export const STALLS = 6;
/** A class is blocked if the priority of its first frame is. */
export const STALL_BY_HEAD = 0;
/** Classes and priorities are the same numbers. */
export const STALL_ALIKE = 1;
/** By a table of three bits per priority, from bit `STALL_TABLE_SHIFT` on. */
const STALL_BY_TABLE = 2;
export const STALL_TABLE_SHIFT = 2;
/** How frames come in: zero, whole and past the pipeline. */
const WAY_IN = 7;
/** A frame is dealt with as soon as its first 64 octets are in. */
const CUT_THROUGH = 1;
/** A link layer lets frames in when their last bit is in, before they pass the pipeline. */
const LAYERED = 2;
/** Beside the classes of `READY`: the link layer has a frame to send again. */
export const REPEAT = 1 << 8;
/**
 * Classes whose frames start as accounts cover them; from bit 8 on priorities whose frames are
 * charged to accounts, and from bit 16 on those that are metered: they make the classes.
 */
const ACCOUNTED = 8;
const CHARGED_SHIFT = 8;
const METERED_SHIFT = 16;

/** A cache line, together with the doubles. */
export const PORT_WORDS = 16;

// Doubles of a port, behind its words.

/** When the wire is free for the next frame, gap included. */
const FREE_AT = 5;
const LATENCY_PS = 6;
const INGRESS_PS = 7;

const PORT_DOUBLES = 8;
const UNUSED = [9];
const PORT = fields(
  PORT_WORDS,
  {
    firstInFlight: [IN_FLIGHT_QUEUE_HEAD, DERIVED],
    lastInFlight: [IN_FLIGHT_QUEUE_TAIL, DERIVED],
    ready: [READY, SHAPE],
    blocked: [BLOCKED, SHAPE],
    controlDue: [CONTROL_DUE, SHAPE],
    octetPs: [OCTET_PS, SHAPE],
    stalls: [STALLS, SHAPE],
    wayIn: [WAY_IN, SHAPE],
    accounted: [ACCOUNTED, SHAPE],
    freeAt: [double(FREE_AT), DUE],
    latencyPs: [double(LATENCY_PS), SHAPE],
    ingressPs: [double(INGRESS_PS), SHAPE],
  },
  UNUSED,
);

/** Mechanisms with a number as a gate, as the owner of timers and as a source of control frames. */
export const SLOTS_MOST = 16;
const GATE_WORDS = SLOTS_MOST / Int32Array.BYTES_PER_ELEMENT;

/** State of every port of a service that is neither a queue nor a counter. */
export type Ports = ReturnType<typeof makePorts>;

export function makePorts(tables: Tables) {
  const { words, doubles } = tables.records('port', PORT);
  /** What each gate holds, an octet each; and the same, four in a word. */
  const gateWords = tables.int32('port', field('held by gates', SHAPE, GATE_WORDS));
  const blockedByGate = new Uint8Array(
    gateWords.buffer,
    gateWords.byteOffset,
    gateWords.byteLength,
  );
  const controlDelays = tables.float64('port', field('control delay', SHAPE));
  const pipelines = tables.float64('port', field('pipeline', SHAPE));
  const count = tables.count('port');
  const owners = new Int32Array(count);
  const peers = new Int32Array(count).fill(-1);
  /** By port and priority: traffic class at the egress, and priority group of the ingress. */
  const classes = tables.uint8('port', field('class of priority', SHAPE, 8));
  const groups = tables.uint8('port', field('group of priority', SHAPE, 8));
  /** By port and priority, and by port and class: the mechanism that keeps the accounts. */
  const keepers = tables.uint8('port', field('keeper of priority', SHAPE, 8));
  const classKeepers = tables.uint8('port', field('keeper of class', SHAPE, 8));
  /** By port: priorities whose hold extends to others, and these. */
  const holdersAlong = tables.uint8('port', field('held along', SHAPE, 2));
  for (let at = 0; at < words.length; at += PORT_WORDS) {
    words[at + IN_FLIGHT_QUEUE_HEAD] = -1;
    words[at + IN_FLIGHT_QUEUE_TAIL] = -1;
  }

  /** `ingressPs`: from the last bit received (cutting through: the 64th octet) to the device. */
  function configure(
    port: PortRow,
    device: number,
    spec: PortSpec,
    ingressPs: number,
    cutThrough: boolean,
  ): void {
    const at = port * PORT_WORDS;
    assert(Number.isInteger(spec.octetPs) && spec.octetPs > 0, 'port.octet-time');
    assert(spec.latencyPs >= 0 && ingressPs >= 0, 'port.delays');
    assert(spec.classOf.length === 8 && spec.groupOf.length === 8, 'port.maps-of-8-priorities');
    assert(spec.groupOf.every(isOfEight), 'port.group-of-8');
    owners[port] = device;
    setClasses(port, spec.classOf);
    groups.set(spec.groupOf, port << 3);
    words[at + OCTET_PS] = spec.octetPs;
    words[at + WAY_IN] = cutThrough ? CUT_THROUGH : 0;
    const times = port * PORT_DOUBLES;
    doubles[times + LATENCY_PS] = spec.latencyPs;
    doubles[times + INGRESS_PS] = ingressPs;
    pipelines[port] = ingressPs;
    words[at + ACCOUNTED] = 0;
    // Without a response delay they pass the pipeline, as frames do.
    controlDelays[port] = spec.pausing?.responseDelayPs ?? ingressPs;
  }

  /** Traffic class of each priority from now on. */
  function setClasses(port: PortRow, classOf: readonly number[]): void {
    const identity = classOf.every((tc, priority) => tc === priority);
    assert(classOf.every(isOfEight), 'port.class-of-8');
    classes.set(classOf, port << 3);
    words[port * PORT_WORDS + STALLS] = identity ? STALL_ALIKE : STALL_BY_HEAD;
    classify(port);
  }

  /** A blocked priority stops the classes that the table (three bits each) has for it. */
  function stallByTable(port: PortRow, table: number): void {
    words[port * PORT_WORDS + STALLS] = STALL_BY_TABLE | (table << STALL_TABLE_SHIFT);
  }

  /** Joins two ports by a link. */
  function connect(a: number, b: number): void {
    assert(a !== b && peers[a] < 0 && peers[b] < 0, 'port.one-link');
    assert(octetPs(a) === octetPs(b), 'port.rate-of-link');
    peers[a] = b;
    peers[b] = a;
  }

  function classOf(port: PortRow, priority: Priority): number {
    return classes[(port << 3) | priority];
  }

  function groupOf(port: PortRow, priority: Priority): number {
    return groups[(port << 3) | priority];
  }

  function owner(port: PortRow): number {
    return owners[port];
  }

  function peer(port: PortRow): number {
    return peers[port];
  }

  /** Priorities that have been blocked at any port since this was made; not state. */
  let everBlocked = 0;

  /** Sets one gate's mask of blocked priorities; true if the union changed. */
  function hold(gate: number, port: PortRow, priorities: number): boolean {
    assert(gate >= 0 && gate < SLOTS_MOST, 'gate.unknown');
    assert((priorities & ~CLASSES) === 0, 'gate.8-priorities');
    blockedByGate[port * SLOTS_MOST + gate] = priorities;
    let union = 0;
    const gates = port * GATE_WORDS;
    for (let word = 0; word < GATE_WORDS; word++) union |= gateWords[gates + word];
    union |= union >>> 16;
    union = (union | (union >>> 8)) & CLASSES;
    if ((union & holdersAlong[2 * port]) !== 0) union |= holdersAlong[2 * port + 1];
    assert((priorities & ~union) === 0, 'gate.held-is-blocked');
    if (union === words[port * PORT_WORDS + BLOCKED]) return false;
    words[port * PORT_WORDS + BLOCKED] = union;
    everBlocked |= union;
    return true;
  }

  function wasEverBlocked(priority: number): boolean {
    return (everBlocked & (1 << priority)) !== 0;
  }

  /** Holds of any of these priorities extend to the others. */
  function holdAlong(port: PortRow, holders: number, others: number): void {
    holdersAlong[2 * port] = holders;
    holdersAlong[2 * port + 1] = others;
  }

  function blocked(port: PortRow): number {
    return words[port * PORT_WORDS + BLOCKED];
  }

  function octetPs(port: PortRow): number {
    return words[port * PORT_WORDS + OCTET_PS];
  }

  function cutsThrough(port: PortRow): boolean {
    return words[port * PORT_WORDS + WAY_IN] === CUT_THROUGH;
  }

  /** A frame that comes in is whole, and has passed the pipeline. */
  function isStoreAndForward(port: PortRow): boolean {
    return words[port * PORT_WORDS + WAY_IN] === 0;
  }

  /** Frames come and go by way of a link layer from now on. */
  function layer(port: PortRow): void {
    words[port * PORT_WORDS + WAY_IN] = LAYERED;
    doubles[port * PORT_DOUBLES + INGRESS_PS] = 0;
  }

  function hasLinkLayer(port: PortRow): boolean {
    return words[port * PORT_WORDS + WAY_IN] === LAYERED;
  }

  /** The link layer has a frame to send again, which goes before all others, or no longer. */
  function setRepeat(port: PortRow, due: boolean): void {
    const at = port * PORT_WORDS + READY;
    words[at] = due ? words[at] | REPEAT : words[at] & ~REPEAT;
  }

  function repeats(port: PortRow): boolean {
    return (words[port * PORT_WORDS + READY] & REPEAT) !== 0;
  }

  function requestControl(port: PortRow, source: number): void {
    assert(source >= 0 && source < SLOTS_MOST, 'control.source-of-16');
    words[port * PORT_WORDS + CONTROL_DUE] |= 1 << source;
  }

  function controlDue(port: PortRow): boolean {
    return mayCompose(words[port * PORT_WORDS + CONTROL_DUE]) !== 0;
  }

  /** These sources, one bit each, send nothing until they are no longer muted. */
  function mute(port: PortRow, sources: number): void {
    const at = port * PORT_WORDS + CONTROL_DUE;
    assert((sources & ~SOURCES) === 0, 'control.muted-of-16');
    words[at] = (words[at] & SOURCES) | (sources << MUTED_SHIFT);
  }

  function mayCompose(due: number): number {
    return due & SOURCES & ~(due >> MUTED_SHIFT);
  }

  function controlIsDue(port: PortRow, source: number): boolean {
    return (words[port * PORT_WORDS + CONTROL_DUE] & (1 << source)) !== 0;
  }

  /** Takes the lowest source that has a control frame due. */
  function takeControl(port: PortRow): number {
    const at = port * PORT_WORDS + CONTROL_DUE;
    const due = mayCompose(words[at]);
    assert(due !== 0, 'control.source-due');
    const lowest = due & -due;
    words[at] &= ~lowest;
    return 31 - Math.clz32(lowest);
  }

  /** Frames of these priorities, one bit each, are charged to accounts of a mechanism. */
  function charge(port: PortRow, keeper: number, priorities: number): void {
    assert(keeper >= 0 && keeper < SLOTS_MOST, 'accounts.keeper-of-16');
    const at = port * PORT_WORDS + ACCOUNTED;
    for (let rest = priorities; rest !== 0; rest &= rest - 1) {
      const priority = 31 - Math.clz32(rest & -rest);
      assert((words[at] & (1 << (CHARGED_SHIFT + priority))) === 0, 'accounts.one-keeper');
      keepers[(port << 3) | priority] = keeper;
    }
    words[at] |= priorities << CHARGED_SHIFT;
  }

  /** Of the priorities of a keeper exactly these, one bit each, start as accounts cover them. */
  function meter(port: PortRow, keeper: number, priorities: number): void {
    const at = port * PORT_WORDS + ACCOUNTED;
    let metered = words[at] >>> METERED_SHIFT;
    for (let priority = 0; priority < 8; priority++) {
      if (keepers[(port << 3) | priority] === keeper) metered &= ~(1 << priority);
    }
    assert((priorities & ~(words[at] >>> CHARGED_SHIFT)) === 0, 'accounts.metered-is-charged');
    words[at] =
      (words[at] & ~(CLASSES << METERED_SHIFT)) | ((metered | priorities) << METERED_SHIFT);
    classify(port);
  }

  /** Classes of metered priorities. */
  function classify(port: PortRow): void {
    const at = port * PORT_WORDS + ACCOUNTED;
    words[at] &= ~CLASSES;
    for (let rest = words[at] >>> METERED_SHIFT; rest !== 0; rest &= rest - 1) {
      const priority = 31 - Math.clz32(rest & -rest);
      const trafficClass = classOf(port, priority);
      const keeper = keepers[(port << 3) | priority];
      const isOther = classKeepers[(port << 3) | trafficClass] !== keeper;
      assert(!isOther || (words[at] & (1 << trafficClass)) === 0, 'accounts.class-of-one-keeper');
      classKeepers[(port << 3) | trafficClass] = keeper;
      words[at] |= 1 << trafficClass;
    }
  }

  /** Classes whose frames start as accounts cover them, one bit each. */
  function metered(port: PortRow): number {
    return words[port * PORT_WORDS + ACCOUNTED] & CLASSES;
  }

  function isMetered(port: PortRow, trafficClass: TrafficClass): boolean {
    return (words[port * PORT_WORDS + ACCOUNTED] & (1 << trafficClass)) !== 0;
  }

  /** Classes of one keeper among them. */
  function meteredBy(port: PortRow, keeper: number): number {
    let classes = metered(port);
    for (let rest = classes; rest !== 0; rest &= rest - 1) {
      const trafficClass = 31 - Math.clz32(rest & -rest);
      if (classKeepers[(port << 3) | trafficClass] !== keeper) classes &= ~(1 << trafficClass);
    }
    return classes;
  }

  /** What is stored of a priority behind the port is charged to accounts, in use or not. */
  function isCharged(port: PortRow, priority: Priority): boolean {
    return ((words[port * PORT_WORDS + ACCOUNTED] >>> CHARGED_SHIFT) & (1 << priority)) !== 0;
  }

  /** Of a priority that is charged, and of a class that is metered. */
  function keeperOf(port: PortRow, priority: Priority): number {
    return keepers[(port << 3) | priority];
  }

  function keeperOfClass(port: PortRow, trafficClass: TrafficClass): number {
    return classKeepers[(port << 3) | trafficClass];
  }

  /** A frame that its account covers is to be sent, whether it is paused or not. */
  function hasWork(port: PortRow): boolean {
    const at = port * PORT_WORDS;
    return (words[at + READY] | mayCompose(words[at + CONTROL_DUE])) !== 0;
  }

  function freeAt(port: PortRow): number {
    return doubles[port * PORT_DOUBLES + FREE_AT];
  }

  function setFreeAt(port: PortRow, time: number): void {
    doubles[port * PORT_DOUBLES + FREE_AT] = time;
  }

  function latencyPs(port: PortRow): number {
    return doubles[port * PORT_DOUBLES + LATENCY_PS];
  }

  function controlDelayPs(port: PortRow): number {
    return controlDelays[port];
  }

  /** From when a frame counts as come in until a device has it, or its link layer checks it. */
  function ingressPs(port: PortRow): number {
    return doubles[port * PORT_DOUBLES + INGRESS_PS];
  }

  /** Of the device, whichever side of it frames are checked. */
  function pipelinePs(port: PortRow): number {
    return pipelines[port];
  }

  return {
    words,
    count,
    configure,
    setClasses,
    stallByTable,
    connect,
    owner,
    classOf,
    groupOf,
    peer,
    hold,
    wasEverBlocked,
    holdAlong,
    blocked,
    octetPs,
    cutsThrough,
    isStoreAndForward,
    layer,
    hasLinkLayer,
    setRepeat,
    repeats,
    requestControl,
    controlDue,
    mute,
    controlIsDue,
    takeControl,
    charge,
    meter,
    metered,
    meteredBy,
    isMetered,
    isCharged,
    keeperOf,
    keeperOfClass,
    hasWork,
    freeAt,
    setFreeAt,
    latencyPs,
    controlDelayPs,
    ingressPs,
    pipelinePs,
  };
}

function isOfEight(number: number): boolean {
  return number >= 0 && number < 8;
}
