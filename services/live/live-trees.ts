import type { TreesView } from '../report/page/page-data.js';
import { treesView } from '../report/page/page-trees.js';
import { whyOf } from '../report/why.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { RunSnapshot, SnapshotCache } from '../runtime/run-snapshot.js';

/** The congestion trees of a run so far. */
export class LiveTrees {
  private found: TreesView | null = null;
  private foundIn: RunSnapshot | null = null;

  constructor(
    private readonly snapshots: SnapshotCache,
    private readonly fabric: () => Fabric,
  ) {}

  /** Null: episodes are not recorded. */
  async view(): Promise<TreesView | null> {
    const snapshot = await this.snapshots.now();
    if (snapshot === this.foundIn || snapshot === null) return this.found;
    this.foundIn = snapshot;
    const beganAt = performance.now();
    this.found = this.find(snapshot);
    this.snapshots.charge(performance.now() - beganAt);
    return this.found;
  }

  private find({ results, congestion }: RunSnapshot): TreesView | null {
    if (congestion === null) return null;
    const fabric = this.fabric();
    const names = fabric.linkEnds.flatMap((ends) => ends.map(({ name }) => name));
    return treesView(whyOf(fabric, results, congestion), names);
  }
}
