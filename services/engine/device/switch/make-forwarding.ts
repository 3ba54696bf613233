import type { LoadBalancing, OutsideKind } from '../../contract/outside.js';
import { outsidePart } from '../../contract/outside.js';
import type { SwitchCarrier } from '../../contract/slice.js';
import type { SwitchSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { BalancedRouter } from './balanced-router.js';
import { Bridge } from './bridge.js';
import type { Forwarding } from './forwarding.js';
import { Router, saltOf } from './router.js';

interface ForwardingTools {
  readonly pool: FramePool;
  readonly balancings: readonly OutsideKind<LoadBalancing>[];
  readonly carrier: SwitchCarrier;
}

/** How a switch with these specifications, whose first port is `firstPort`, forwards frames. */
export function makeForwarding(
  spec: SwitchSpec,
  firstPort: number,
  { pool, balancings, carrier }: ForwardingTools,
): Forwarding {
  const { forwarding, index } = spec;
  if (forwarding.kind === 'bridged') {
    const { vlans, hosts, ageingPs } = forwarding;
    return new Bridge(pool, vlans, hosts, ageingPs, carrier.clock);
  }
  const { routes, balancing } = forwarding;
  const ports = spec.ports.length;
  if (balancing === null) return new Router(pool, routes, saltOf(index), ports);
  const chosen = outsidePart(balancings, { ...spec, firstPort }, balancing, carrier);
  return new BalancedRouter(pool, routes, balancing.name, chosen, saltOf(index), ports);
}
