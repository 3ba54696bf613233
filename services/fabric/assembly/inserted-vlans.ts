import type { Flow } from '../load/flow.js';
import type { Fail } from '../topology/cabling.js';
import type { Settings } from './settings.js';

/**
 * Flows with the tags that the NICs of their senders put on them: those of a pool with PFVMVIR
 * have its VLAN as their inner tag, whatever software wrote (7.4.5).
 */
export function withInsertedVlans(
  flows: readonly Flow[],
  settings: readonly Settings[],
  fail: Fail,
): readonly Flow[] {
  return flows.map((flow) => {
    const nic = settings[flow.source]!.host.nic;
    const insert = nic?.pools.find(({ pool }) => pool === flow.vm)?.insert ?? null;
    if (nic === null || insert === null) return flow;
    if (nic.vlan.double && flow.vlan.outer === null) {
      const message = `VLAN ${insert} goes behind an outer tag in double mode, and ${flow.name} has none`;
      throw fail([...nic.path, 'pools', String(flow.vm), 'insert'], message);
    }
    return { ...flow, vlan: { ...flow.vlan, inner: insert } };
  });
}
