import { Engine } from '../engine/device/engine.js';
import { frameRoom } from './frame-room.js';
import { engineKindsWith } from '../plugins/plugins.js';
import type { Fabric } from '../fabric/assembly/fabric.js';

/** An engine with a whole fabric: every device in its order, every link. */
export function wholeEngine(fabric: Fabric): Engine {
  const kinds = engineKindsWith(fabric.scenario.plugins);
  const engine = new Engine(fabric.specs, kinds, fabric.frames ?? frameRoom(fabric.specs));
  for (const { a, b } of fabric.topology.links) {
    engine.connect([a.device, a.port], [b.device, b.port]);
  }
  return engine;
}
