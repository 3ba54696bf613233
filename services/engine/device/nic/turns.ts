/**
 * Connections of a NIC that have something to send, per traffic class, in turn: a circular list
 * through one array, as descriptor queues are served round robin.
 */
export class Turns {
  private readonly next: Int32Array;
  /** By class: the connection served last, whose successor is next; -1 when nobody waits. */
  private readonly tails = new Int32Array(8).fill(-1);
  /** By connection: it is in a list. */
  private readonly listed: Uint8Array;

  constructor(connections: number) {
    this.next = new Int32Array(connections);
    this.listed = new Uint8Array(connections);
  }

  /** Puts a connection at the end of the line unless it stands in it already. */
  join(trafficClass: number, connection: number): void {
    if (this.listed[connection] !== 0) return;
    this.listed[connection] = 1;
    const tail = this.tails[trafficClass];
    if (tail < 0) this.next[connection] = connection;
    else {
      this.next[connection] = this.next[tail];
      this.next[tail] = connection;
    }
    this.tails[trafficClass] = connection;
  }

  /** Takes whoever is first, -1 if nobody waits. */
  take(trafficClass: number): number {
    const tail = this.tails[trafficClass];
    if (tail < 0) return -1;
    const first = this.next[tail];
    if (first === tail) this.tails[trafficClass] = -1;
    else this.next[tail] = this.next[first];
    this.listed[first] = 0;
    return first;
  }
}
