import type { FrameRef, PortRow } from '../units/indices.js';

/** A frame that bears no number of its link layer. */
export const NO_NUMBER = -1;
/** A frame that the link layer does not let out. */
export const WITHHELD = -2;

/**
 * Stands between the transmitter of a port and the receiver of its link partner. Ports that have
 * one say so (`ports.layer`); all others pay nothing for it. A frame passes the pipeline of a
 * switch when the link layer has let it in, so it is checked when its last bit is in.
 */
export interface LinkLayer {
  /** What is owed by now is requested as a control message, beside others that are due. */
  request(port: PortRow): void;
  /** What is owed starts now: an ordered set, packed. */
  answer(port: PortRow): number;
  /** A packed ordered set came in; false if it is not an answer to what the port has sent. */
  answered(port: PortRow, packed: number): boolean;
  /** From when on something is owed; Infinity: nothing is. */
  owesAt(port: PortRow): number;
  /** A new frame starts: the number that it bears (below 2^29), NO_NUMBER, or WITHHELD. */
  starts(port: PortRow, frame: FrameRef): number;
  /** A frame with a number has started: another may, or not. */
  started(port: PortRow): void;
  /** The next frame of the replay buffer, this copy of it, is sent again: its number. */
  repeats(port: PortRow, frame: FrameRef): number;
  /** A frame with a number came in, and an error or UNHURT; why it is dropped, or UNHURT. */
  arrives(port: PortRow, frame: FrameRef, number: number, error: number): number;
  /** Of the oldest frame in the replay buffer; the others follow. */
  oldestNumber(port: PortRow): number;
  numberAfter(number: number): number;
  /** No frame with this number has been let in. */
  lacks(port: PortRow, number: number): boolean;
}
