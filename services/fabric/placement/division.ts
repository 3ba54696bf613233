/** The graph to be cut: devices (or what is never cut) with their neighbors, and their work. */
export interface WorkGraph {
  /** By device: the others that it has links to, and how heavy these are. */
  readonly neighbors: readonly ReadonlyMap<number, number>[];
  readonly work: readonly number[];
}

/** The part of every device, and what follows from it. */
export class Division {
  private readonly workOf: number[];
  private readonly members: Set<number>[];
  /** By device: how heavy its links into each part are. */
  private readonly linksInto: Map<number, number>[];

  constructor(
    private readonly graph: WorkGraph,
    private readonly partOf: number[],
    parts: number,
  ) {
    this.workOf = Array.from({ length: parts }, () => 0);
    this.members = Array.from({ length: parts }, () => new Set());
    partOf.forEach((part, device) => {
      this.workOf[part]! += graph.work[device]!;
      this.members[part]!.add(device);
    });
    this.linksInto = graph.neighbors.map((neighbors) => {
      const into = new Map<number, number>();
      for (const [other, weight] of neighbors) add(into, partOf[other]!, weight);
      return into;
    });
  }

  /** How heavy the links are whose ends are in two parts. */
  get cut(): number {
    return this.linksInto.reduce((sum, into, device) => {
      const all = [...into.values()].reduce((a, b) => a + b, 0);
      return sum + (all - this.links(device, this.partOf[device]!)) / 2;
    }, 0);
  }

  /** The work of the part that has most. */
  get heaviest(): number {
    return this.workOf.reduce((most, work) => Math.max(most, work), 0);
  }

  /** The devices of every part, ascending. */
  groups(): number[][] {
    return this.members.map((devices) => [...devices].sort((a, b) => a - b));
  }

  /**
   * Moves a device, or exchanges two, as long as that makes the cut lighter, or leaves it as it is
   * and the work is more even; no part comes to more than `most` work. (Kernighan and Lin, for many
   * parts.)
   */
  refine(most: number): void {
    let improved = true;
    while (improved) {
      improved = false;
      for (let device = 0; device < this.partOf.length; device++) {
        if (this.moveIfBetter(device, most) || this.exchangeIfBetter(device, most)) improved = true;
      }
    }
  }

  private moveIfBetter(device: number, most: number): boolean {
    const from = this.partOf[device]!;
    if (this.members[from]!.size === 1) return false;
    let best = { part: from, saved: 0 };
    for (const part of this.linksInto[device]!.keys()) {
      const work = this.workOf[part]! + this.graph.work[device]!;
      if (part === from || work > most) continue;
      const saved = this.saving(device, part);
      const isMoreEven = saved === 0 && best.part === from && work < this.workOf[from]!;
      if (saved > best.saved || isMoreEven) best = { part, saved };
    }
    if (best.part === from) return false;
    this.move(device, best.part);
    return true;
  }

  private exchangeIfBetter(device: number, most: number): boolean {
    const from = this.partOf[device]!;
    let best = { other: device, saved: 0 };
    for (const part of this.linksInto[device]!.keys()) {
      if (part === from) continue;
      const gone = this.saving(device, part);
      for (const other of this.members[part]!) {
        if (this.links(other, from) === 0 || !this.fits(device, other, most)) continue;
        const saved = gone + this.saving(other, from) - 2 * this.linksBetween(device, other);
        if (saved > best.saved) best = { other, saved };
      }
    }
    if (best.saved === 0) return false;
    const part = this.partOf[best.other]!;
    this.move(device, part);
    this.move(best.other, from);
    return true;
  }

  private linksBetween(device: number, other: number): number {
    return this.graph.neighbors[device]!.get(other) ?? 0;
  }

  private fits(a: number, b: number, most: number): boolean {
    const { work } = this.graph;
    const more = work[b]! - work[a]!;
    const workOf = (device: number): number => this.workOf[this.partOf[device]!]!;
    return workOf(a) + more <= most && workOf(b) - more <= most;
  }

  /** How much lighter the cut is with the device in that part. */
  private saving(device: number, part: number): number {
    return this.links(device, part) - this.links(device, this.partOf[device]!);
  }

  private links(device: number, part: number): number {
    return this.linksInto[device]!.get(part) ?? 0;
  }

  private move(device: number, to: number): void {
    const from = this.partOf[device]!;
    const work = this.graph.work[device]!;
    this.partOf[device] = to;
    this.members[from]!.delete(device);
    this.members[to]!.add(device);
    this.workOf[from]! -= work;
    this.workOf[to]! += work;
    for (const [other, weight] of this.graph.neighbors[device]!) {
      const into = this.linksInto[other]!;
      add(into, from, -weight);
      add(into, to, weight);
    }
  }
}

function add(counts: Map<number, number>, key: number, more: number): void {
  const count = (counts.get(key) ?? 0) + more;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
