import type { Engine } from '../../engine/device/engine.js';
import { Windows } from '../embedded/windows.js';
import { RowGuard } from './row-guard.js';

/** Windows in which each device is checked: it may change rows of its own only. */
export class GuardedWindows extends Windows {
  private readonly guard: RowGuard;

  constructor(engine: Engine, lookaheadPs: number) {
    super(engine, lookaheadPs);
    this.guard = new RowGuard(engine);
  }

  protected override execute(device: number, bound: number): void {
    this.guard.begin();
    super.execute(device, bound);
    this.guard.end(device);
  }
}
