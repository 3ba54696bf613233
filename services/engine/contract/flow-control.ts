import type { AccountBooks } from './account-books.js';
import type { Clock } from '../kernel/clock.js';
import type { PortSpec } from './spec.js';
import type { StartAccounts } from './start-accounts.js';
import type { FrameRef, PortRow, Priority, TrafficClass } from '../units/indices.js';

/**
 * Interfaces between a device's data path and the mechanisms that pause senders. A mechanism
 * implements those that it needs; the data path does not depend on which one it is.
 */

/** Observes what an ingress buffer account admits and releases. */
export interface IngressObserver {
  /** `octets`: its length as it came in. */
  admitted(port: PortRow, group: number, frame: FrameRef, octets: number): void;
  released(port: PortRow, group: number, frame: FrameRef): void;
}

/** A mechanism that has the role; throws if it has not, which is a defect of the engine. */
export function asIngressObserver(mechanism: Mechanism): IngressObserver {
  return mechanism as Mechanism & IngressObserver;
}

export function isGate(mechanism: Mechanism): mechanism is Mechanism & TransmitGate {
  return mechanism.holdReason !== undefined;
}

/** Why a priority may not send, for reports and for the wait-for graph. */
export interface HoldReason {
  readonly mechanism: string;
  /** The hold expires at this time (ps); Infinity if only the link partner can end it. */
  readonly untilPs: number;
  /**
   * Since when the link partner has paused it without a break; null where it is not the partner.
   */
  readonly sincePs: number | null;
}

/**
 * Decides which priorities may not start a frame. It is not called at every arbitration: it writes
 * changes to the port's `Holds`, so that a port where nothing is paused pays one load.
 */
export interface TransmitGate {
  /** Null when this gate does not hold the priority. */
  holdReason(port: PortRow, priority: Priority): HoldReason | null;
  /** It holds the queue with the number of the priority, whatever priorities its frames have. */
  readonly holdsQueues?: boolean;
  /** It holds whatever the MAC clients of a port send (802.3 31B.3), and discovery is one. */
  readonly holdsClients?: boolean;
  /** It holds for a time that a message of a queue stated: what it holds goes on by itself. */
  readonly holdsForTimes?: boolean;
}

/** Counts its holds: those that a link partner causes, or that a frame waits long for. */
interface HoldCounts {
  /** How long it has blocked the priority until `now`, and how often it began to. */
  blockedPs(port: PortRow, priority: Priority, now: number): number;
  holdCount(port: PortRow, priority: Priority): number;
}

/** Counts requests to pause link partners, and those of link partners. */
interface StopCounts {
  /** How many of its control frames paused the priority at the link partner, or released it. */
  stopsSent(port: PortRow, priority: Priority): number;
  /** How many of the link partner's named the priority. */
  stopsReceived(port: PortRow, priority: Priority): number;
}

/** Sends control frames, which are transmitted before all others and are never paused. */
interface ControlFrameSource {
  /**
   * Writes the frame now due at a port, without FCS; returns its length. 0 declines: the frame is
   * no longer needed. A source that declines does not request another frame.
   */
  compose(port: PortRow, txEnd: number, octets: Uint8Array): number;
}

/** Claims kinds of MAC control frames. */
interface ControlFrameHandler {
  /** False if the frame is not one of its kind. */
  receiveControl(port: PortRow, octets: Uint8Array, length: number): boolean;
}

/** Receives the timers it armed. */
interface TimerClient {
  onTimer(port: PortRow, timer: number): void;
}

/** Is given the ports it runs on. */
interface PortClient {
  configurePort(port: PortRow, spec: PortSpec): void;
  /** The carrier is back: what was received over the link before is no longer valid. */
  linkUp?(port: PortRow): void;
  linkDown?(port: PortRow): void;
  /** Its device has lost its frames, and the state of its ports; their links go down now. */
  forget?(port: PortRow): void;
}

/** Control ordered sets of a link: eight octets between frames. */
interface OrderedSetHandler {
  /** False if the message is not one of its kind. */
  receiveOrderedSet(port: PortRow, octets: Uint8Array): boolean;
}

/** Decides which frames the ingress buffer of a port admits, and observes it. */
interface IngressRuler {
  rulesGroup(port: PortRow, group: number): boolean;
  /** Priority groups whose link partner is paused now, one bit each. */
  pausedGroups(port: PortRow): number;
}

/** Grants a link partner what it may send. */
interface Granter {
  /** Groups that store so much that there is nothing left to grant for a frame. */
  exhaustedGroups(port: PortRow): number;
}

/** Rules groups as far as link partners agree on it. */
interface NegotiatedRuler {
  /** Whether it keeps the link partner from overflowing a group that it rules now. */
  protectsGroup(port: PortRow, group: number): boolean;
}

/** A link partner pauses the priorities of a port. */
interface PausedPort {
  /** Since when a priority has been paused; null while it is not. */
  blockedSincePs(port: PortRow, priority: Priority): number | null;
}

/** Ends pauses of link partners that last too long. */
export interface PauseWatchdog {
  /** By port: priorities whose frames are discarded and not queued, one bit each. */
  readonly discards: Uint8Array;
  /** A frame was discarded and not queued. */
  refused(port: PortRow, priority: Priority): void;
  /** Pauses of a priority are ignored now. */
  isStorm(port: PortRow, priority: Priority): boolean;
  /** Sets what is built after the mechanisms. */
  setTools(tools: WatchdogTools): void;
}

/** Effects of a watchdog beyond its port's gate. */
export interface WatchdogTools {
  /** Frames of a priority wait at a port. */
  waits(port: PortRow, priority: Priority): boolean;
  /** Drops them all; returns how many. */
  discard(port: PortRow, priority: Priority): number;
  /** It began or ended to act: part of the digest. */
  note(port: PortRow, priority: Priority, on: boolean): void;
}

/** Has a watchdog, and knows of those of link partners. */
interface Watched {
  readonly watchdog: PauseWatchdog;
  /** Whether the link partner's watchdog may ignore a pause of this port now. */
  mayBeIgnored(port: PortRow, group: number): boolean;
}

/** Frames of a priority wait for something that the link partner has to send. */
export interface PartnerWaits {
  /** Since when the first frame of a priority waits; null if none does. */
  waitsSincePs(port: PortRow, priority: Priority): number | null;
  /** Since when nothing of the priority has been stored behind a port; null while something is. */
  emptySincePs(port: PortRow, priority: Priority): number | null;
  /** After so long an end of the link has sent again all that it has to say. */
  repeatsPs(port: PortRow): number;
  /** So long an end tries to begin anew until it waits for longer. */
  retriesPs?(port: PortRow): number;
}

/** Runs where link partners have agreed on it. */
interface Agreement {
  /** Frames of a priority wait until the link partner has advertised the same. */
  awaitsAgreement(port: PortRow, priority: Priority): boolean;
}

/** Has grants at its ports that a fault can take. */
interface GrantHolder {
  /** Grants of each of these priorities (one bit each) is lost, as if a frame had used it. */
  steal(port: PortRow, priorities: number, octets: number): void;
}

/** Counts frames that start, and those that are stored. */
interface Counting {
  readonly starts: StartAccounts;
  /** Its accounts, for those who read them; of one mechanism. */
  readonly books: AccountBooks;
}

/** Charges what is stored behind ports to accounts, in units of its own. */
export interface ChargeBook {
  /** The account at a port of frames with these tags; -1 if the mechanism charges none. */
  accountOf(port: PortRow, priority: Priority, vlans: number): number;
  accountsAt(port: PortRow): readonly number[];
  /** Units of frames that are stored. */
  chargedUnits(port: PortRow, account: number): number;
}

/** What must hold of both ends of a link on which nothing was lost. */
interface LinkInvariants {
  /** Of frames to a port, with those it has not taken; the name of what does not hold, or null. */
  brokenOnLink(
    port: PortRow,
    forEachNotTaken: (visit: (frame: FrameRef) => void) => void,
  ): string | null;
}

/** What has to be as before at both ends of a link when a fault is over. */
interface LinkRecovery {
  /**
   * What is still wrong with the direction to a port, for whose frames that it has not taken
   * `forEachNotTaken` calls; null when nothing is. `isQuiet`: no message is underway back.
   */
  ailmentOnLink(
    port: PortRow,
    isQuiet: boolean,
    forEachNotTaken: (visit: (frame: FrameRef) => void) => void,
  ): string | null;
}

/** A quantity that a mechanism shows under the name the standard gives it. */
export interface ManagedValue {
  readonly name: string;
  readonly priority: number | null;
  readonly value: number;
}

export interface Managed {
  managedValues(port: PortRow, now: number): ManagedValue[];
}

/** Pauses link partners for a time, and again before it is up. */
interface PartnerPauser {
  /** Whether it pauses the link partner of a port for any reason. */
  isStopping(port: PortRow): boolean;
  /** Its pause is refreshed before it expires, or a first frame is due. */
  isRefreshed(port: PortRow): boolean;
}

/** What must hold at every port. */
interface PortInvariants {
  /** The name of an invariant that does not hold; null if all do. */
  brokenAt(port: PortRow): string | null;
}

/** A mechanism has a name, and of the other roles those that it needs. */
export interface Mechanism
  extends
    Named,
    Partial<IngressObserver>,
    Partial<TransmitGate>,
    Partial<HoldCounts>,
    Partial<StopCounts>,
    Partial<ControlFrameSource>,
    Partial<ControlFrameHandler>,
    Partial<TimerClient>,
    Partial<PortClient>,
    Partial<PartnerPauser>,
    Partial<PortInvariants>,
    Partial<OrderedSetHandler>,
    Partial<IngressRuler>,
    Partial<Granter>,
    Partial<NegotiatedRuler>,
    Partial<PausedPort>,
    Partial<Watched>,
    Partial<ProxyPauser>,
    Partial<PartnerWaits>,
    Partial<ChargeBook>,
    Partial<GrantHolder>,
    Partial<Counting>,
    Partial<Agreement>,
    Partial<LinkInvariants>,
    Partial<LinkRecovery>,
    Partial<Managed> {}

/** The one that pauses link partners for others; null if none does. */
export function proxyPauserAmong(all: readonly Mechanism[]): ProxyPauser | null {
  return (all.find(({ stopFor }) => stopFor !== undefined) as ProxyPauser | undefined) ?? null;
}

interface Named {
  readonly name: string;
}

/** What mechanisms use of their engine. Ports are numbered through the service. */
export interface MechanismHost {
  readonly clock: Clock;
  /** Holds exactly these priorities (a bit each) at a port, as far as this gate is concerned. */
  hold(gate: number, port: PortRow, priorities: number): void;
  /** A control frame of this source is due: send it as soon as the link is free. */
  requestControl(source: number, port: PortRow): void;
  /** A control frame of this source was requested and has not been sent. */
  controlDue(source: number, port: PortRow): boolean;
  /** `timer` is 0..63. */
  arm(client: number, port: PortRow, timer: number, time: number): void;
  /** A timer that was armed for this time would do nothing: it does not expire. */
  disarm(client: number, port: PortRow, timer: number, time: number): void;
  /** The transmitter of a port may have something to send. */
  wake(port: PortRow): void;
  /**
   * The transmitter of a port that has nothing to send acts at this time, if not before. One that
   * is busy asks its link layer (`owesAt`) when it has nothing more to send.
   */
  wakeAt(port: PortRow, untilPs: number): void;
  /** The link layer of a port has frames to send again, or has no longer. */
  repeat(port: PortRow, due: boolean): void;
  /** The link layer of a port will not send a frame again: it is dropped there. */
  dropKept(port: PortRow, frame: FrameRef): void;
  /** Notifies probes that a port paused or resumed its link partner. */
  announceStop(port: PortRow, group: number, stop: boolean): void;
  /** Not zero while any probe is attached: only then are arguments for it put together. */
  readonly hasListeners: Uint8Array;
  /** Notifies probes that an account of grants began, or ceased, to block a frame. */
  announceShort(port: PortRow, priority: Priority, channel: number, short: boolean): void;
  /**
   * Notifies probes that a message of a queue, which is at the port with this MAC address, pauses a
   * priority of a port, or of its link partner.
   */
  announceNotice(port: PortRow, priority: Priority, queueMac: number): void;
  /** Notifies probes that the length of a queue makes a mechanism pause a source. */
  announceQueue(port: PortRow, trafficClass: TrafficClass, priority: Priority): void;
  /** Notifies probes of a step of the exchange of grants. */
  announceGrantStep(
    port: PortRow,
    step: number,
    priority: Priority,
    channel: number,
    units: number,
  ): void;
}

/** Pauses a link partner as a proxy for another device. */
export interface ProxyPauser {
  /** Whether this link partner can be paused. */
  canStop(port: PortRow, priority: Priority): boolean;
  /** Pauses for a time (ps); zero resumes. */
  stopFor(port: PortRow, priority: Priority, durationPs: number): void;
}

/** An ingress buffer account as a mechanism sees it. */
export interface IngressBuffers {
  atXoff(port: PortRow, group: number): boolean;
  atXon(port: PortRow, group: number): boolean;
  /** While the sender is paused, what still arrives is charged to the headroom. */
  setPaused(port: PortRow, group: number, paused: boolean): void;
}
