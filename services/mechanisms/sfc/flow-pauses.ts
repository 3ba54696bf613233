/** Pauses of single flows of a station (`scope: flow`): how many, and for how long. */
export class SfcFlowPauses {
  /** Pauses that began; one that is refreshed in time continues. */
  count = 0;
  /** By connection of the station: paused until then. */
  private readonly untilPs: Float64Array;
  /** Over all connections, up to the planned end of each pause. */
  private totalPs = 0;

  constructor(connections: number) {
    this.untilPs = new Float64Array(connections);
  }

  /** Pauses a connection until so long from now; zero ends its pause. */
  load(connection: number, nowPs: number, durationPs: number): void {
    const leftPs = Math.max(0, this.untilPs[connection] - nowPs);
    if (leftPs === 0 && durationPs > 0) this.count++;
    this.totalPs += durationPs - leftPs;
    this.untilPs[connection] = nowPs + durationPs;
  }

  /** Time that connections were paused by now, summed over them. */
  pausedPs(nowPs: number): number {
    return this.untilPs.reduce(
      (total, untilPs) => total - Math.max(0, untilPs - nowPs),
      this.totalPs,
    );
  }
}
