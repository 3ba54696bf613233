/** Flow control as far as the settings of ports, or of the fabric, say it by themselves. */

import {
  EXCHANGE,
  fallbackOf,
  FLOW_CONTROLS,
  pausingOf,
  WHOLE_PORT,
} from '../../mechanisms/registry.js';
import type { Places } from '../../mechanisms/rate-control-slice.js';
import type { Located } from './located.js';
import type { PortMaps, PrioritySection, Scenario } from './scenario.js';

export function checkFlowControl(scenario: Scenario, located: Located): void {
  checkFallbacks(scenario, located);
  const pauses = scenario.pause.enabled || scenario.ports.some(({ pause }) => pause?.enabled);
  if (!pauses || pausingOf(WHOLE_PORT) !== null) return;
  throw located.errorAt([WHOLE_PORT], 'no mechanism pauses whole ports; remove it');
}

/** What rules a priority where only one end has a flow control must be there itself. */
function checkFallbacks(scenario: Scenario, located: Located): void {
  const { mechanisms, priorities, overrides, ports } = scenario;
  const exists = (fallback: string): boolean => {
    if (fallback === WHOLE_PORT) return pausingOf(WHOLE_PORT) !== null;
    return ['auto', 'refuse', 'none', ...FLOW_CONTROLS].includes(fallback);
  };
  const sections = [priorities, ...[...overrides, ...ports].map((own) => own.priorities)].flat();
  const written = [
    ...FLOW_CONTROLS.map((name) => ({ path: [name], fallback: fallbackOf(name, mechanisms) })),
    ...sections.map(({ path, fallback = 'auto' }) => ({ path, fallback })),
  ];
  const wrong = written.find(({ fallback }) => !exists(fallback));
  if (wrong === undefined) return;
  const message = `no such flow control: ${wrong.fallback}`;
  throw located.errorAt([...wrong.path, 'fallback'], message);
}

/** The error for a flow control of a priority where PAUSE is on, and no link is left for one. */
export function besidePause(flowControl: string, noLink?: string): string {
  const what =
    noLink === undefined
      ? 'pause stops all priorities'
      : `pause has links below 10 Gb/s, ${flowControl} those above, and no link ${noLink}`;
  return (
    `${flowControl} while pause is on: ${what}; remove one, or give each its ports, as ` +
    'ports: [{ where: { rate: 1G }, pause: true }]'
  );
}

/** Priorities of a port without PAUSE that share a traffic class, or an account. */
export function checkPriorities(
  classes: Scenario['classes'],
  priorities: readonly PrioritySection[],
  places: Pick<Places, 'errorAt'>,
  maps: PortMaps | null = null,
): void {
  const transmit = maps?.queues ?? classes.transmit;
  for (const section of priorities) {
    if (section.flowControl === EXCHANGE) checkGrants(section, { transmit }, priorities, places);
  }
  // Groups of maps may be shared by priorities that pause, and others that are then lost.
  if (maps?.groups === undefined) checkAccounts(classes, priorities, places);
}

function checkGrants(
  { priority, path }: PrioritySection,
  { transmit }: Pick<Scenario['classes'], 'transmit'>,
  priorities: readonly PrioritySection[],
  places: Pick<Places, 'errorAt'>,
): void {
  const trafficClass = transmit[priority]!;
  const other = priorities.find(
    (section) => section.flowControl !== EXCHANGE && transmit[section.priority] === trafficClass,
  );
  if (other === undefined) return;
  throw places.errorAt(
    path,
    `priorities ${priority} and ${other.priority} share the traffic class ${trafficClass}, but ` +
      `only ${priority} has ${EXCHANGE}; make them alike or change classes.transmit`,
  );
}

/** Priorities that share an account are paused by one threshold, in one way. */
function checkAccounts(
  { receive }: Scenario['classes'],
  priorities: readonly PrioritySection[],
  places: Pick<Places, 'errorAt'>,
): void {
  for (const section of priorities) {
    const account = receive[section.priority]!;
    const first = priorities.find(({ priority }) => receive[priority] === account)!;
    const difference = differenceOf(first, section);
    if (difference === null) continue;
    throw places.errorAt(
      section.path,
      `priorities ${first.priority} and ${section.priority} share the receive account ` +
        `${account} but differ in ${difference}; make them alike or change classes.receive`,
    );
  }
}

/** Of one account. */
const ACCOUNT_KEYS = ['xoff', 'xonGap', 'headroom'] as const;

function differenceOf(a: PrioritySection, b: PrioritySection): string | null {
  if (a.flowControl !== b.flowControl) return 'flowControl';
  if (a.ingressReservedBytes !== b.ingressReservedBytes) return 'reserved';
  if (a.ingressAlpha !== b.ingressAlpha) return 'alpha';
  if (pausingOf(a.flowControl) === null) return null;
  return ACCOUNT_KEYS.find((key) => a.pausing[key] !== b.pausing[key]) ?? null;
}
