import type { Clock } from '../kernel/clock.js';
import type { PortSpec } from './spec.js';

/**
 * The narrow questions between a device's data path and the mechanisms that hold senders back.
 * A mechanism implements those that it needs; the data path never knows which one answers.
 */

/** Hears what an ingress account took in and gave back. */
export interface IngressObserver {
  /** `octets`: its length as it came in. */
  admitted(port: number, group: number, frame: number, octets: number): void;
  released(port: number, group: number, frame: number): void;
}

/** A mechanism that has the role; a mistake of the engine if it has not. */
export function asIngressObserver(mechanism: Mechanism): IngressObserver {
  return mechanism as Mechanism & IngressObserver;
}

export function isGate(mechanism: Mechanism): mechanism is Mechanism & TransmitGate {
  return mechanism.holdReason !== undefined;
}

/** Why a priority may not send, for people and for the graph of who waits for whom. */
export interface HoldReason {
  readonly mechanism: string;
  /** The hold ends by itself at this time (ps); Infinity if only the neighbour can end it. */
  readonly untilPs: number;
  /** Since when the link partner holds it without a break; null where it is not the partner. */
  readonly sincePs: number | null;
}

/**
 * Says which priorities may not start a frame. It is not asked at every arbitration: it pushes
 * changes into the port's `Holds`, so that a port where nothing is held pays one load.
 */
export interface TransmitGate {
  /** Null when this gate does not hold the priority. */
  holdReason(port: number, priority: number): HoldReason | null;
  /** It holds the queue that is named by the priority, whatever priorities its frames have. */
  readonly holdsQueues?: boolean;
}

/** Counts its holds: those that a link partner causes, or that a frame waits long for. */
export interface HoldCounts {
  /** How long it has held the priority until `now`, and how often it began to. */
  heldPs(port: number, priority: number, now: number): number;
  holdCount(port: number, priority: number): number;
}

/** Asks link partners to hold priorities. */
export interface StopCounts {
  /** How many of its control frames asked the neighbour to hold the priority, or released it. */
  stopsSent(port: number, priority: number): number;
}

/** Sends control frames of its own, which go before all others and are never held. */
export interface ControlFrameSource {
  /**
   * Writes the frame now due at a port, without FCS; returns its length. 0 declines: what the frame
   * was requested for no longer applies. A source that declines does not request another frame.
   */
  compose(port: number, txEnd: number, octets: Uint8Array): number;
}

/** Claims kinds of MAC control frames. */
export interface ControlFrameHandler {
  /** False if the frame is not one of its kind. */
  receiveControl(port: number, octets: Uint8Array, length: number): boolean;
}

/** Gets back the timers it armed. */
export interface TimerClient {
  onTimer(port: number, timer: number): void;
}

/** Is told which ports it runs on. */
export interface PortClient {
  configurePort(port: number, spec: PortSpec): void;
  /** The carrier is back: what was said over the link before no longer counts. */
  linkUp?(port: number): void;
}

/** A quantity that a mechanism shows under the name the standard gives it. */
export interface ManagedValue {
  readonly name: string;
  readonly priority: number | null;
  readonly value: number;
}

export interface Managed {
  managedValues(port: number, now: number): ManagedValue[];
}

/** Pauses link partners for a time, and again before it is up. */
export interface PartnerPauser {
  /** Whether the link partner of a port is paused for any reason. */
  isStopping(port: number): boolean;
  /** What pauses it is stated again before it expires, or is just about to be. */
  isRefreshed(port: number): boolean;
}

/** What must hold at every port. */
export interface PortInvariants {
  /** The name of an invariant that does not hold; null if all do. */
  brokenAt(port: number): string | null;
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
    Partial<Managed> {}

export interface Named {
  readonly name: string;
}

/** What a mechanism may ask of those that carry it. Ports are numbered through the service. */
export interface MechanismHost {
  readonly clock: Clock;
  /** Hold exactly these priorities (a bit each) at a port, as far as this gate is concerned. */
  hold(gate: number, port: number, priorities: number): void;
  /** A control frame of this source is due: send it as soon as the wire is free. */
  requestControl(source: number, port: number): void;
  /** A control frame of this source was requested and has not been sent. */
  controlDue(source: number, port: number): boolean;
  /** `timer` is 0..63. */
  arm(client: number, port: number, timer: number, time: number): void;
  /** Frames that wait at a port for permission may have got it. */
  permit(port: number): void;
  /** A permission was taken back: no waiting frame of a port has one any more. */
  withdraw(port: number): void;
  /** Tell listeners that a neighbour was asked to stop or to go on. */
  announceStop(port: number, group: number, stop: boolean): void;
  /** Not zero while anybody listens: what costs something to tell need not be put together. */
  readonly ears: Uint8Array;
  /** Tell listeners that a credit account began, or ceased, to hold a frame back. */
  announceShort(port: number, priority: number, channel: number, short: boolean): void;
  /** Tell listeners of a step of credit exchange. */
  announceCredit(
    port: number,
    step: number,
    priority: number,
    channel: number,
    units: number,
  ): void;
}

/** Stops a neighbour on somebody else's behalf. */
export interface NeighbourStopper {
  /** Whether that can be asked of this neighbour. */
  canStop(port: number, priority: number): boolean;
  /** For a time (ps); zero lets it go on. */
  stopFor(port: number, priority: number, durationPs: number): void;
}

/** An ingress account as a mechanism sees it. */
export interface IngressAccounts {
  atXoff(port: number, group: number): boolean;
  atXon(port: number, group: number): boolean;
  /** While stopped, what still arrives is charged to the headroom. */
  setStopped(port: number, group: number, stopped: boolean): void;
}
