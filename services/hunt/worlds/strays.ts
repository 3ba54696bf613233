/** Messages that nobody asked for reach NICs which put them into another class than the wire. */

import { FLOW_CONTROLS, MESSAGE_TEMPLATES } from '../../mechanisms/registry.js';
import type { Draft } from './drafter.js';
import type { Sampler } from './sampler.js';
import { NIC_MODEL, type Place } from './samples.js';

/** Of worlds. */
const PART = 0.05;
const UNTAGGED = ['carried', 'table', 'seven', 'seven'];
/** What an untagged frame may be taken for, by the wire and by a NIC. */
const PRIORITIES = [0, 6, 7];

/** Some worlds forge messages to such a NIC, and many of these have no other fault. */
export function strayMessages(draft: Draft, sampler: Sampler, place: Place): void {
  if (!sampler.chance(PART)) return;
  const host = sampler.pick(place.hosts);
  const devices = { ...(draft['devices'] as Record<string, Draft> | undefined) };
  const vlan = { untagged: sampler.pick(UNTAGGED) };
  devices[host] = { ...devices[host], nic: { model: NIC_MODEL, vlan } };
  draft['devices'] = devices;
  const priorities = draft['priorities'] as Record<string, unknown>;
  for (const priority of PRIORITIES) {
    if (sampler.chance(0.5)) priorities[priority] = sampler.pick([...FLOW_CONTROLS, 'none']);
  }
  const { frames } = sampler.pick(MESSAGE_TEMPLATES);
  const fault = {
    kind: 'forge',
    frames,
    to: host,
    interval: `${sampler.pick([300, 2000, 30_000])}ns`,
    at: '0ns',
    for: `${Math.round(place.spanPs * sampler.pick([0.5, 2]))}ps`,
    ...(sampler.chance(0.5) && { where: { device: sampler.pick(place.hosts) } }),
  };
  draft['faults'] = sampler.chance(0.5) ? [fault] : [...(draft['faults'] as unknown[]), fault];
}
