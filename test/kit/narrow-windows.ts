import type { Engine } from '../../services/engine/device/engine.js';
import { Windows } from '../../services/runtime/embedded/windows.js';

/** Windows of one length for all devices, as if they were a cluster with links between any two. */
export function narrowWindows(engine: Engine, lookaheadPs: number): Windows {
  const near = { devices: [...engine.devices.keys()], clusters: [] };
  const far = { devices: [], clusters: [] };
  const [therePs, backPs, aroundPs] = [lookaheadPs, lookaheadPs, lookaheadPs];
  return new Windows(engine, { near, far, therePs, backPs, aroundPs });
}
