import type { TreesView } from '../report/page/page-data.js';
import { treesView } from '../report/page/page-trees.js';
import { whyOf } from '../report/why.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Glance, Glances } from '../runtime/glance.js';

/** What holds a run back by now. */
export class LiveTrees {
  private found: TreesView | null = null;
  private foundIn: Glance | null = null;

  constructor(
    private readonly glances: Glances,
    private readonly fabric: () => Fabric,
  ) {}

  /** Null: nobody writes down who holds whom. */
  async view(): Promise<TreesView | null> {
    const glance = await this.glances.now();
    if (glance === this.foundIn || glance === null) return this.found;
    this.foundIn = glance;
    const beganAt = performance.now();
    this.found = this.find(glance);
    this.glances.charge(performance.now() - beganAt);
    return this.found;
  }

  private find({ results, congestion }: Glance): TreesView | null {
    if (congestion === null) return null;
    const fabric = this.fabric();
    const names = fabric.linkEnds.flatMap((ends) => ends.map(({ name }) => name));
    return treesView(whyOf(fabric, results, congestion), names);
  }
}
