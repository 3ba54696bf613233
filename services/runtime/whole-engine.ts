import { Engine } from '../engine/device/engine.js';
import { ENGINE_KINDS } from '../mechanisms/registry.js';
import type { Fabric } from '../fabric/assembly/fabric.js';

/** An engine that holds a whole fabric: every device in its order, every cable. */
export function wholeEngine(fabric: Fabric): Engine {
  const engine = new Engine(fabric.specs, ENGINE_KINDS, fabric.frames);
  for (const { a, b } of fabric.topology.links) {
    engine.connect([a.device, a.port], [b.device, b.port]);
  }
  return engine;
}
