import type { FrameRef } from '../../units/indices.js';

/** What an adapter uses of its host's software. */
export interface HostSide {
  /** Whether a connection may send now; if only later, it will be woken. */
  mayQueue(d: number, connection: number): boolean;
  /** Makes the next frame of a connection that may send. */
  build(d: number, connection: number): number;
  /** Its address: its index among the hosts. */
  position(d: number): number;
  /** The virtual machine that a received frame is addressed to. */
  vmOf(d: number, frame: FrameRef): number;
  /** Software reads a frame, and frees its memory. */
  take(d: number, frame: FrameRef): void;
}
