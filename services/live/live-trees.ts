import type { TreesView } from '../report/page/page-data.js';
import { treesView } from '../report/page/page-trees.js';
import { whyOf } from '../report/why.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Session } from '../runtime/session.js';

/** Of the time on the wall, at most so much goes into finding trees. */
const SHARE_MAX = 0.05;

/** What holds a run back by now; found when somebody asks, and not too often. */
export class LiveTrees {
  private found: TreesView | null = null;
  private foundOf = -1;
  private dueAt = -Infinity;

  constructor(
    private readonly session: Session,
    private readonly fabric: () => Fabric,
  ) {}

  /** Null: nobody writes down who holds whom. */
  view(): TreesView | null {
    const { session } = this;
    const { frameHops } = session.progress();
    const startedAt = performance.now();
    if (startedAt < this.dueAt || frameHops === this.foundOf) return this.found;
    this.foundOf = frameHops;
    this.found = this.find();
    const now = performance.now();
    this.dueAt = now + (now - startedAt) / SHARE_MAX;
    return this.found;
  }

  private find(): TreesView | null {
    const congestion = this.session.congestion();
    if (congestion === null) return null;
    const fabric = this.fabric();
    const names = fabric.linkEnds.flatMap((ends) => ends.map(({ name }) => name));
    return treesView(whyOf(fabric, this.session.results('interrupted'), congestion), names);
  }
}
