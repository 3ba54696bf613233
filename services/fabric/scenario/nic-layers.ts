/** The NIC of a single device overrides that of `hosts`, unless it sets a model itself. */

import type { MapNode, SourceNode } from '../../settings/source-tree.js';
import { merge } from '../../settings/source-tree.js';

export function withNicsOfHosts(tree: SourceNode): SourceNode {
  const usual = child(child(tree, 'hosts'), 'nic');
  const devices = child(tree, 'devices');
  if (tree.kind !== 'map' || usual === null || devices === null) return tree;
  const merged = new Map(devices.entries);
  for (const [match, { keyPlace, node }] of devices.entries) {
    const nic = child(node, 'nic');
    if (node.kind !== 'map' || nic === null || nic.entries.has('model')) continue;
    merged.set(match, { keyPlace, node: withEntry(node, 'nic', merge(usual, nic)) });
  }
  return withEntry(tree, 'devices', { ...devices, entries: merged });
}

function child(tree: SourceNode | null, key: string): MapNode | null {
  const node = tree?.kind === 'map' ? tree.entries.get(key)?.node : undefined;
  return node?.kind === 'map' ? node : null;
}

function withEntry(map: MapNode, key: string, node: SourceNode): MapNode {
  const { keyPlace } = map.entries.get(key)!;
  return { ...map, entries: new Map(map.entries).set(key, { keyPlace, node }) };
}
