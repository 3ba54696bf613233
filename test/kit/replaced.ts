import { Engine } from '../../services/engine/device/engine.js';
import type { RandomStream } from '../../services/engine/kernel/random.js';
import { engineKindsWith } from '../../services/plugins/plugins.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';

/** An engine whose actors lie in another order, and where each device of the fabric is in it. */
export function replaced(
  fabric: Fabric,
  random: RandomStream,
): { engine: Engine; placeOf: number[] } {
  const order = fabric.specs.map((_, d) => d);
  random.shuffle(order);
  const placeOf = order.map((_, d) => order.indexOf(d));
  const engine = new Engine(
    order.map((d) => fabric.specs[d]!),
    engineKindsWith(fabric.scenario.plugins),
  );
  for (const { a, b } of fabric.topology.links) {
    engine.connect([placeOf[a.device]!, a.port], [placeOf[b.device]!, b.port]);
  }
  return { engine, placeOf };
}
