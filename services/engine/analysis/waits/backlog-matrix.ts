import type { Engine } from '../../device/engine.js';
import { forEachQueued } from '../../device/queued-frames.js';
import { CLASS, PRIORITY_MASK, STORED, PORT } from '../../frame/frame-pool.js';

const GROUPS = 8;

/**
 * Octets by where they came in and where they wait: for each priority group of a switch a square
 * of its ports. The squares are made when a group is first used.
 */
export class BacklogMatrix {
  private readonly squares: (Int32Array | null)[] = Array.from({ length: GROUPS }, () => null);

  static readonly wiring = ['ports'];

  constructor(readonly ports: number) {}

  add(group: number, ingress: number, egress: number, octets: number): void {
    const square = this.squares[group] ?? this.open(group);
    square[ingress * this.ports + egress] += octets;
  }

  get(group: number, ingress: number, egress: number): number {
    return this.squares[group]?.[ingress * this.ports + egress] ?? 0;
  }

  /** Of an account: all that it holds. */
  total(group: number, ingress: number): number {
    let sum = 0;
    for (let e = 0; e < this.ports; e++) sum += this.get(group, ingress, e);
    return sum;
  }

  /** The egress where most of an account's octets stand; -1 if none do. */
  fullest(group: number, ingress: number): number {
    let best = -1;
    let most = 0;
    for (let e = 0; e < this.ports; e++) {
      const octets = this.get(group, ingress, e);
      if (octets <= most) continue;
      most = octets;
      best = e;
    }
    return best;
  }

  /** How many ports have octets of a group at an egress. */
  inputs(group: number, egress: number): number {
    let count = 0;
    for (let i = 0; i < this.ports; i++) if (this.get(group, i, egress) > 0) count++;
    return count;
  }

  private open(group: number): Int32Array {
    const square = new Int32Array(this.ports * this.ports);
    this.squares[group] = square;
    return square;
  }
}

/** As the queues of a device are now. */
export function backlogOf(engine: Engine, d: number): BacklogMatrix {
  const device = engine.devices[d];
  const { pool, ports } = engine.shared;
  const matrix = new BacklogMatrix(device.spec.ports.length);
  if (device.spec.kind === 'host') return matrix;
  forEachQueued(engine.shared, device, (frame, port) => {
    const from = pool.words[frame + PORT];
    const group = ports.groupOf(from, pool.words[frame + CLASS] & PRIORITY_MASK);
    const ingress = from - device.firstPort;
    matrix.add(group, ingress, port - device.firstPort, pool.words[frame + STORED]);
  });
  return matrix;
}
