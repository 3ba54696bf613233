import type { HostSpec } from '../../engine/contract/spec.js';
import { PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import type { NicArrival } from '../../mechanisms/nic-context.js';
import { MECHANISMS } from '../../mechanisms/registry.js';
import { rateControlOf } from '../../plugins/plugins.js';
import type { Flow } from '../load/flow.js';
import type { Scenario } from '../scenario/scenario.js';
import { notificationsOf } from './congestion-plan.js';
import { vlanWord } from './connections.js';

/** Frames that a host receives: data, and what answers its own (acknowledgements, notices). */
export function arrivalsAt(
  scenario: Scenario,
  { sends, receives }: Pick<HostSpec, 'sends' | 'receives'>,
  flows: readonly Flow[],
): NicArrival[] {
  const { rateControls, priorities: sections } = scenario;
  const data = receives.map(({ flow, ackVlan }): NicArrival => {
    const { name, priority, vlan, answerVlan } = flows[flow]!;
    return { priority, vlans: answerVlan === undefined ? ackVlan : vlanWord(vlan), flow: name };
  });
  const answers = sends.flatMap(({ flow, vlan, frameClass }): NicArrival[] => {
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
