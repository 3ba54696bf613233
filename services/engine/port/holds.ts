/**
 * Which priorities of each port may not start a frame: every gate keeps its own mask, the union
 * is what the transmitter reads.
 */
export class Holds {
  /** By port: the union over all gates, one bit per priority. */
  readonly held: Uint8Array;
  private readonly byGate: Uint8Array;

  constructor(
    ports: number,
    private readonly gates: number,
  ) {
    this.held = new Uint8Array(ports);
    this.byGate = new Uint8Array(ports * gates);
  }

  /** Sets one gate's mask; true if the union changed. */
  set(gate: number, port: number, priorities: number): boolean {
    const base = port * this.gates;
    this.byGate[base + gate] = priorities;
    let union = 0;
    for (let g = 0; g < this.gates; g++) union |= this.byGate[base + g];
    const changed = union !== this.held[port];
    this.held[port] = union;
    return changed;
  }
}
