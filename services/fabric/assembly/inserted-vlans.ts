import { identifierOf, insertTag, tagsOf } from '../../engine/nic-82599/vlan.js';
import type { Flow } from '../load/flow.js';
import type { Nic82599Section } from '../scenario/nic-section.js';
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
    const { inner, outer } = flow.vlan;
    if (nic.vlan.double !== (outer !== null)) {
      const message = nic.vlan.double ? 'has no outer tag in double mode' : 'has an outer tag';
      const path = [...nic.path, 'pools', String(flow.vm), 'insert'];
      throw fail(
        path,
        `VLAN ${insert} goes behind an outer tag or is alone; ${flow.name} ${message}`,
      );
    }
    const tags = insertTag(outerTags(outer), inner, insert, modesOf(nic));
    return { ...flow, vlan: { ...flow.vlan, inner: identifierOf(tags[tags.length - 1]!.tci) } };
  });
}

function outerTags(outer: number | null): ReturnType<typeof tagsOf> {
  return outer === null ? [] : tagsOf(outer * 65_536, 0);
}

function modesOf({ vlan, dcb }: Nic82599Section): Parameters<typeof insertTag>[3] {
  return { ...vlan, dcb };
}
