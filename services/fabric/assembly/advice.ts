/**
 * Settings of a scenario that are allowed but probably mistakes, as `selvage validate` reports
 * them.
 */

import { QUANTUM_OCTETS } from '../../engine/units/ethernet.js';
import { PS_PER_US } from '../../engine/units/time.js';
import { PAUSE_KEYS, watchdogOf } from '../../mechanisms/pausing-settings.js';
import { MECHANISMS, pausingOf } from '../../mechanisms/registry.js';
import type { PrioritySection, Scenario } from '../scenario/scenario.js';
import { ACCOUNT_ONLY_KEYS } from '../scenario/schema-flow-control.js';
import type { Path } from '../topology/cabling.js';
import { portName } from '../topology/topology.js';
import type { Margin } from './assembly.js';
import type { Fabric } from './fabric.js';
import type { Warning } from './warnings.js';

/** Warnings about values that contradict each other, in the order of the scenario. */
export function adviceOn(fabric: Fabric, document: unknown): Warning[] {
  const { priorities, pause } = fabric.scenario;
  return [
    ...priorities.flatMap((section) => [
      ...unused(section, fabric, document),
      ...ineffective(section, fabric, document),
      ...markedTooLate(section, fabric),
      ...smallThreshold(section, fabric),
      ...smallHeadroom(section, fabric),
      ...(section.flowControl === 'none' ? [] : lateRefresh(section.pausing, pathOf(section))),
      ...hastyWatchdog(section, fabric),
    ]),
    ...(pause.enabled ? lateRefresh(pause.pausing, ['pause']) : []),
    ...emptyExpectations(fabric),
  ];
}

/** Those of them that say which keys change nothing: before a run, too. */
export function keysWithoutEffect(fabric: Fabric, document: unknown): Warning[] {
  return fabric.scenario.priorities.flatMap((section) => ineffective(section, fabric, document));
}

function warning(path: Path, message: string): Warning {
  return { path, message, load: null, isRefused: false };
}

function pathOf({ priority }: PrioritySection, ...keys: string[]): Path {
  return ['priorities', String(priority), ...keys];
}

/** Only settings of single priorities were meant for them. */
function unused(
  section: PrioritySection,
  { flows, scenario }: Fabric,
  document: unknown,
): Warning[] {
  const { priority, flowControl } = section;
  const sections = document as Readonly<Record<string, object | null>>;
  const written = sections['priorities'] ?? {};
  const isUsed =
    flows.some(
      ({ priority: own, transport }) =>
        own === priority || (transport.kind === 'reliable' && transport.ackPriority === priority),
    ) ||
    Object.values(sections).some((section) => names(section, priority)) ||
    isCompanion(scenario, priority);
  if (flowControl === 'none' || isUsed || !Object.hasOwn(written, String(priority))) return [];
  const used = [...new Set(flows.map((flow) => flow.priority))].sort((a, b) => a - b);
  const message =
    `${flowControl} on priority ${priority}, which no load uses; loads use ` +
    `${used.length === 0 ? 'none' : used.join(', ')}: set priority in a load, or remove it`;
  return [warning(pathOf(section), message)];
}

/** A mechanism that some priority has puts its frames there. */
function isCompanion({ mechanisms, priorities }: Scenario, priority: number): boolean {
  return MECHANISMS.some(
    (slice) =>
      priorities.some((section) => section.mechanisms[slice.name] === true) &&
      slice.companions?.(mechanisms[slice.name]!).includes(priority) === true,
  );
}

/** Keys that its flow control has no use for, on any link. */
function ineffective(section: PrioritySection, fabric: Fabric, document: unknown): Warning[] {
  const { priority, flowControl } = section;
  const { overrides, ports, discovery } = fabric.scenario;
  // Elsewhere the priority may have another flow control, now or by negotiation.
  const isVaried = [...overrides, ...ports].some((own) => own.priorities.length > 0);
  if (isVaried || discovery.enabled || marginsOf(fabric, section).length > 0) return [];
  if (pausingOf(flowControl) !== null) return [];
  const { priorities = {} } = document as { priorities?: Readonly<Record<string, unknown>> };
  const written = priorities[String(priority)];
  if (typeof written !== 'object' || written === null) return [];
  const without = [...PAUSE_KEYS, ...(flowControl === 'none' ? [] : ACCOUNT_ONLY_KEYS)];
  return Object.keys(written)
    .filter((key) => without.includes(key))
    .map((key) => {
      const what = flowControl === 'none' ? 'without flow control' : `under ${flowControl}`;
      const message =
        `${key} has no effect on priority ${priority} ${what}; remove it, or give the priority ` +
        'a flow control that pauses';
      return warning(pathOf(section, key), message);
    });
}

/** Whether a section of a mechanism has a key such as `priority` or `messagePriority` of it. */
function names(section: object | null, priority: number): boolean {
  return Object.entries(section ?? {}).some(
    ([key, value]) => /priority$/i.test(key) && value === priority,
  );
}

function marginsOf({ margins }: Fabric, { priority }: PrioritySection): readonly Margin[] {
  return margins.filter(({ priorities }) => priorities.includes(priority));
}

/** A single ingress port may fill a queue: XOFF must not come before its marks. */
function markedTooLate(section: PrioritySection, fabric: Fabric): Warning[] {
  const least = Math.min(...marginsOf(fabric, section).map(({ xoffOctets }) => xoffOctets));
  return MECHANISMS.flatMap(({ name, marking }) => {
    const from = marking?.from(section.mechanisms[name]) ?? null;
    if (from === null || from < least) return [];
    const message =
      `${name} marks from ${from} bytes on, above XOFF at ${least} bytes: a sender may be paused ` +
      `before any of its packets is marked; mark below XOFF, or raise xoff`;
    return [warning(pathOf(section, name), message)];
  });
}

function smallThreshold(section: PrioritySection, fabric: Fabric): Warning[] {
  if (section.pausing.xoff !== 'dynamic') return [];
  const margin = marginsOf(fabric, section).find(
    ({ xoffOctets, terms }) => xoffOctets < terms.frameOctets,
  );
  if (margin === undefined) return [];
  const message =
    `alpha ${section.ingressAlpha} leaves XOFF at ${Math.floor(margin.xoffOctets)} bytes at ` +
    `${portName(fabric.topology, margin)}, less than one frame of ${margin.terms.frameOctets} ` +
    `bytes: every frame pauses the sender; raise alpha, or switches.buffer.size`;
  return [warning(pathOf(section), message)];
}

function smallHeadroom(section: PrioritySection, fabric: Fabric): Warning[] {
  const small = marginsOf(fabric, section).filter(
    ({ headroomOctets, terms }) => headroomOctets < terms.totalOctets,
  );
  const [first] = small;
  if (first === undefined) return [];
  const most = Math.max(...small.map(({ terms }) => terms.totalOctets));
  const message =
    `headroom of ${first.headroomOctets} bytes at ${portName(fabric.topology, first)}, below the ` +
    `${first.terms.totalOctets} bytes that may arrive after XOFF: frames may be dropped; ` +
    `give at least ${most}, or auto`;
  return [warning(pathOf(section, 'headroom'), message)];
}

/** Frames that arrive between two pauses are not what headroom is computed for. */
function lateRefresh({ refresh }: PrioritySection['pausing'], section: Path): Warning[] {
  if (refresh <= 1) return [];
  const message =
    `refresh of ${Math.round(refresh * 100)} %: each pause expires before it is sent again, and ` +
    'frames beyond the headroom are dropped; below 100 %, unless that is to be watched';
  return [warning([...section, 'refresh'], message)];
}

/** A watchdog must outlast the longest single pause that a link partner may request. */
function hastyWatchdog(section: PrioritySection, { linkEnds }: Fabric): Warning[] {
  const { quanta } = section.pausing;
  const watchdog = watchdogOf(section.watchdog);
  if (watchdog === null) return [];
  const octetPs = Math.max(...linkEnds.flat().map((end) => end.octetPs));
  const pausePs = quanta * QUANTUM_OCTETS * octetPs;
  if (watchdog.detectionPs >= pausePs) return [];
  const message =
    `watchdog detects a storm after ${watchdog.detectionPs / PS_PER_US}us, but one pause of ` +
    `${quanta} quanta lasts up to ${pausePs / PS_PER_US}us: it may act on a legal pause; raise ` +
    `detection, or lower quanta`;
  return [warning(pathOf(section, 'watchdog'), message)];
}

function emptyExpectations({ scenario }: Fabric): Warning[] {
  const { priorities, overrides, pause, switches, expect } = scenario;
  const isLossless = (section: Pick<Partial<PrioritySection>, 'flowControl'>): boolean =>
    section.flowControl !== undefined && section.flowControl !== 'none';
  const hasLossless =
    pause.enabled ||
    // Other models have flow control of their own.
    switches.model !== 'shared-buffer' ||
    priorities.some(isLossless) ||
    overrides.some((override) => override.priorities.some(isLossless));
  if (hasLossless) return [];
  return expect.flatMap(({ metric }, index) =>
    metric === 'lossless-drops'
      ? [
          warning(
            ['expect', index],
            'lossless-drops where no priority is lossless: it is always 0; give a priority flow ' +
              'control, or expect drops',
          ),
        ]
      : [],
  );
}
