import type { Engine } from '../../engine/device/engine.js';
import type { Cluster } from '../../fabric/assembly/clusters.js';
import { Windows } from '../embedded/windows.js';
import { RowGuard } from './row-guard.js';

/** Octets that are compared when each device has executed a window once: some 30 devices. */
const QUICK_OCTETS = 1 << 24;

/** Windows in which each device is checked: it may change rows of its own only. */
export class GuardedWindows extends Windows {
  private readonly guard: RowGuard;

  constructor(engine: Engine, cluster: Cluster) {
    super(engine, cluster);
    this.guard = new RowGuard(engine);
  }

  /** It takes a few times as long as the second oracle, and no more. */
  static isQuick({ shared: { tables }, devices }: Engine): boolean {
    const octets = tables.layout().reduce((sum, { column }) => sum + column.byteLength, 0);
    return octets * devices.length <= QUICK_OCTETS;
  }

  protected override execute(device: number, bound: number): void {
    this.guard.begin();
    super.execute(device, bound);
    this.guard.end(device);
  }
}
