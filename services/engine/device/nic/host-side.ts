/** What an adapter asks of its host's software. */
export interface HostSide {
  /** Whether a connection may send now; if only later, it will be woken. */
  mayQueue(d: number, connection: number): boolean;
  /** Makes the next frame of a connection that may send. */
  build(d: number, connection: number): number;
  /** Its address: its place among the hosts. */
  position(d: number): number;
  /** The virtual machine that a received frame is addressed to. */
  vmOf(d: number, frame: number): number;
  /** Software takes in a frame; it gives back its memory. */
  take(d: number, frame: number): void;
}
