import { fieldOf } from '../../engine/nic-82599/register-file.js';
import { registerKind } from '../../engine/nic-82599/register-map.js';
import {
  identifierOf,
  insertTag,
  isDropEligible,
  priorityOf,
  tagsOf,
} from '../../engine/nic-82599/vlan.js';
import type { Fail, NicFlow, NicTags } from '../nic-context.js';
import type { FieldValue, Nic82599Section } from './section.js';
import type { Path } from '../../settings/source-tree.js';

/**
 * Flows with the tags that the NICs of their ends insert: what a pool with PFVMVIR sends has its
 * VLAN, priority and DEI, whatever software wrote (7.4.5). Answers are sent by the other end.
 */
export function withInsertedVlans<Flow extends NicFlow>(
  flows: readonly Flow[],
  nicOf: (host: number) => Nic82599Section | null,
  fail: Fail,
): readonly Flow[] {
  return flows.map((flow) => {
    const sent = tagged(flow, nicOf(flow.source), fail);
    return flow.group ? sent : answered(sent, flow, nicOf(flow.destination), fail);
  });
}

function tagged<Flow extends NicFlow>(flow: Flow, nic: Nic82599Section | null, fail: Fail): Flow {
  const tci = insertedTag(nic, flow.vm);
  if (tci === null) return flow;
  checkPlace(flow, nic!, fail);
  return { ...flow, priority: priorityOf(tci), vlan: withTag(flow.vlan, tci, nic!) };
}

/** Acknowledgements come from a pool of the destination. */
function answered<Flow extends NicFlow>(
  sent: Flow,
  { vlan, toVm }: Flow,
  nic: Nic82599Section | null,
  fail: Fail,
): Flow {
  const tci = sent.transport.kind === 'reliable' ? insertedTag(nic, toVm) : null;
  if (tci === null) return sent;
  checkPlace({ ...sent, vm: toVm }, nic!, fail);
  return {
    ...sent,
    transport: { ...sent.transport, ackPriority: priorityOf(tci) },
    answerVlan: withTag(vlan, tci, nic!),
  };
}

function withTag(vlan: NicTags, tci: number, { vlan: modes, dcb }: Nic82599Section): NicTags {
  const outer = vlan.outer === null ? [] : tagsOf(vlan.outer * 65_536, 0);
  const tags = insertTag(outer, vlan.inner, tci, { ...modes, dcb });
  const inner = tags[tags.length - 1].tci;
  return { ...vlan, inner: identifierOf(inner), dei: isDropEligible(inner) };
}

/** The tag of PFVMVIR for a pool, by its own keys and then by registers; null: none is inserted. */
function insertedTag(nic: Nic82599Section | null, pool: number): number | null {
  if (nic === null) return null;
  const kind = registerKind('PFVMVIR');
  const insert = nic.pools.find((own) => own.pool === pool)?.insert ?? null;
  let [tci, isAlways] = [insert ?? 0, insert !== null];
  for (const { register, index, field, value } of nic.registers) {
    if (register !== 'PFVMVIR' || index !== pool) continue;
    if (field !== 'VLANA') tci = field === null ? fieldOf(kind, 'TCI', value) : value;
    if (field !== 'TCI') isAlways = (field === null ? fieldOf(kind, 'VLANA', value) : value) === 1;
  }
  return isAlways ? tci : null;
}

/** In double mode the tag goes behind an outer one; without it is alone. */
function checkPlace({ name, vlan, vm }: NicFlow, nic: Nic82599Section, fail: Fail): void {
  const tci = insertedTag(nic, vm)!;
  const path = pathOf(nic, vm);
  if (identifierOf(tci) === 0) {
    throw fail(path, `PFVMVIR[${vm}] inserts VLAN 0; write a VLAN 1 to 4094 in its TCI`);
  }
  if (nic.vlan.double === (vlan.outer !== null)) return;
  const message = nic.vlan.double ? 'has no outer tag in double mode' : 'has an outer tag';
  throw fail(
    path,
    `VLAN ${identifierOf(tci)} goes behind an outer tag or is alone; ${name} ${message}`,
  );
}

function pathOf({ registers, path }: Nic82599Section, pool: number): Path {
  const isMeant = (value: FieldValue): boolean =>
    value.register === 'PFVMVIR' && value.index === pool;
  return registers.findLast(isMeant)?.path ?? [...path, 'pools', String(pool), 'insert'];
}
