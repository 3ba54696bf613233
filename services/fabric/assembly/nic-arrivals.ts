import type { HostSpec } from '../../engine/contract/spec.js';
import { PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import type { RegisterFile } from '../../engine/nic-82599/register-file.js';
import { receivedPriority } from '../../engine/nic-82599/vlan.js';
import { vlanModesOf } from '../../engine/nic-82599/vlan-modes.js';
import { MECHANISMS } from '../../mechanisms/registry.js';
import { rateControlOf } from '../../plugins/plugins.js';
import type { Flow } from '../load/flow.js';
import type { Nic82599Section } from '../scenario/nic-section.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Path } from '../../settings/source-tree.js';
import { notificationsOf } from './congestion-plan.js';
import { vlanWord } from './connections.js';
import type { Methods } from './link-methods.js';

/** The traffic that the receive buffers of an 82599 are sized for. */
export interface NicTraffic {
  readonly methods: Methods;
  readonly ends: Pick<HostSpec, 'sends' | 'receives'>;
  readonly flows: readonly Flow[];
  /** By priority. */
  readonly longestFrameOctets: readonly number[];
  /** By priority: how long the link partner takes to react to PFC or PAUSE. */
  readonly responseDelayPs: readonly number[];
  /** By priority: octets that the port may grant credit for. */
  readonly creditOctets: readonly number[];
}

/** Frames that a host receives: their priority on the link, and their tags. */
interface Arrival {
  readonly priority: number;
  readonly vlans: number;
  readonly flow: string;
}

/**
 * Flow control on the link uses the priority of a frame, an 82599 chooses the receive buffer by its
 * user priority. Where both differ, the frame fills a buffer whose watermarks pause another
 * priority, and may be lost: returns where and why, null if that cannot be.
 */
export function strayArrival(
  section: Nic82599Section,
  file: RegisterFile,
  scenario: Scenario,
  { methods, ends, flows }: NicTraffic,
): { readonly keys: Path; readonly message: string } | null {
  const modes = vlanModesOf(file, section.dcb);
  const { untagged } = section.vlan;
  const bufferOf = (priority: number): number =>
    section.dcb && !scenario.pause.enabled ? scenario.classes.receive[priority]! : 0;
  for (const { priority, vlans, flow } of arrivals(scenario, ends, flows)) {
    const up = receivedPriority(priority, vlans, modes, untagged);
    if (bufferOf(up) === bufferOf(priority)) continue;
    if (methods[up] === methods[priority] && methods[up] === 'none') continue;
    const mode = vlans === 0 ? `untagged: ${untagged}` : `double: ${modes.double}`;
    const remedy =
      vlans === 0
        ? 'tag them (vlan: of the load), or use untagged: carried'
        : 'give them the tags that the VLAN modes of the NIC expect';
    const message =
      `frames of ${flow} have priority ${priority} (${methods[priority]}) on the link, but user ` +
      `priority ${up} (${methods[up]}) in the NIC (${mode}, Table 7-49): they fill receive ` +
      `buffer ${bufferOf(up)}, which flow control of priority ${priority} does not protect; ` +
      remedy;
    return { keys: vlans === 0 ? ['vlan', 'untagged'] : ['vlan'], message };
  }
  return null;
}

/** Data, and what answers data: acknowledgements and congestion notifications. */
function arrivals(
  scenario: Scenario,
  { sends, receives }: Pick<HostSpec, 'sends' | 'receives'>,
  flows: readonly Flow[],
): Arrival[] {
  const { rateControls, priorities: sections } = scenario;
  const data = receives.map(({ flow, ackVlan }): Arrival => {
    const { name, priority, vlan, answerVlan } = flows[flow]!;
    return { priority, vlans: answerVlan === undefined ? ackVlan : vlanWord(vlan), flow: name };
  });
  const answers = sends.flatMap(({ flow, vlan, frameClass }): Arrival[] => {
    const { name, transport, congestion, answerVlan } = flows[flow]!;
    const vlans = answerVlan === undefined ? vlan : vlanWord(answerVlan);
    const { mechanisms } = sections[frameClass & PRIORITY_MASK]!;
    const messages = MECHANISMS.filter(({ name }) => mechanisms[name] === true).flatMap(
      (slice) => slice.messagePriority?.(scenario.mechanisms[slice.name]) ?? [],
    );
    const notifications = notificationsOf(congestion, scenario);
    const fromQueues = rateControlOf(congestion, scenario.plugins)?.messages?.(
      rateControls[congestion],
    );
    const priorities = [
      ...(transport.kind === 'reliable' ? [transport.ackPriority] : []),
      ...(notifications === null ? [] : [notifications.priority]),
      ...(fromQueues === undefined ? [] : [fromQueues.priority]),
      ...messages,
    ];
    return priorities.map((priority) => ({ priority, vlans, flow: `answers to ${name}` }));
  });
  return [...data, ...answers];
}
