/** Rate controls against priorities, classes and loads, as far as no topology is needed. */

import type { PrioritiesView } from '../../mechanisms/mechanism-slice.js';
import {
  EXCHANGE,
  GRANTING_CONTROLS,
  MARKINGS,
  MECHANISMS,
  TRANSPORTS,
} from '../../mechanisms/registry.js';
import type { Located } from './located.js';
import { rateControlOf } from '../../plugins/plugins.js';
import type { LoadSection, Scenario } from './scenario.js';
import type { Path } from '../../settings/source-tree.js';

const COUNTING: readonly string[] = [EXCHANGE, ...GRANTING_CONTROLS];

export function checkCongestion(scenario: Scenario, located: Located): void {
  const view = viewOf(scenario, located);
  for (const slice of MECHANISMS) {
    slice.checkPriorities?.(scenario.mechanisms[slice.name], view);
  }
  for (const [index, load] of scenario.load.entries()) {
    const path = ['load', index, 'congestion'];
    checkOwnControl(scenario, load, index, located);
    const slice = rateControlOf(load.congestion, scenario.plugins);
    if (slice === null) continue;
    if (load.kind === 'stream' && load.group) {
      const message = `${load.congestion} slows down a flow with one receiver, not to a group`;
      throw located.errorAt(path, message);
    }
    const { feedback } = slice;
    if (['acknowledgements', 'echoes', 'telemetry'].includes(feedback)) {
      checkAnswers(load, path, located);
    }
    if (feedback === 'marks' || feedback === 'echoes') checkMarks(scenario, load, index, located);
    const unwatched = slice.unwatched?.(scenario.rateControls[slice.kind], load.priority) ?? null;
    if (unwatched !== null) throw located.errorAt(path, unwatched);
  }
}

/** A transport that limits what is in flight does it for itself, behind a plain NIC. */
function checkOwnControl(
  { hosts, switches, overrides }: Scenario,
  { transport, congestion }: LoadSection,
  index: number,
  located: Located,
): void {
  if (transport.kind === 'raw') return;
  const slice = TRANSPORTS.find(({ name }) => name === transport.name);
  if (slice?.hasOwnControl !== true) return;
  const { title } = slice;
  checkSlots(switches, overrides, transport, index, located);
  if (congestion !== 'none') {
    const message = `${title} has a congestion control of its own; leave ${congestion} out`;
    throw located.errorAt(['load', index, 'congestion'], message);
  }
  if ([hosts, ...overrides.map(({ host }) => host)].every(({ nic }) => (nic ?? null) === null))
    return;
  const message = `${title} runs on hosts with plain NICs: leave nic out, or use another transport`;
  throw located.errorAt(['load', index, 'transport'], message);
}

/** What its packets say lies where a switch with slots has the number of one. */
function checkSlots(
  switches: Scenario['switches'],
  overrides: Scenario['overrides'],
  transport: Extract<LoadSection['transport'], { kind: 'reliable' }>,
  index: number,
  located: Located,
): void {
  const slice = TRANSPORTS.find(({ name }) => name === transport.name);
  if (slice?.needsSharedBuffers?.(transport.settings) !== true) return;
  const models = [switches.model, ...overrides.map((own) => own.switch.model ?? 'shared-buffer')];
  const model = models.find((own) => own !== 'shared-buffer');
  if (model === undefined) return;
  const message = `so ${slice.title} needs switches with shared buffers, not ${model}`;
  throw located.errorAt(['load', index, 'transport', transport.name, 'control'], message);
}

function viewOf(scenario: Scenario, located: Located): PrioritiesView {
  const { priorities, overrides, ports, classes, pause } = scenario;
  const written = [priorities, ...[...overrides, ...ports].map((own) => own.priorities)].flat();
  const controlsOf = (priority: number): string[] =>
    written.flatMap((own) => (own.priority === priority ? (own.flowControl ?? []) : []));
  return {
    flowControl: priorities.map(({ flowControl }) => flowControl),
    countingOf: (priority) => controlsOf(priority).filter((name) => COUNTING.includes(name)),
    transmit: classes.transmit,
    pauses: pause.enabled,
    isFlowControlWritten: (priority) => saysFlowControl(priority, located),
    errorAt: (path, message) => located.errorAt(path, message),
    has: (path) => located.has(path),
  };
}

/** A round trip ends with an acknowledgement. */
function checkAnswers({ transport, congestion }: LoadSection, path: Path, located: Located): void {
  if (transport.kind === 'reliable') return;
  const message = `${congestion} needs acknowledgements: set transport: reliable`;
  throw located.errorAt(path, message);
}

/** Without marks no receiver would ever send a notification. */
function checkMarks(scenario: Scenario, load: LoadSection, index: number, located: Located): void {
  const { priority, congestion } = load;
  if (!load.ect) {
    const message = `${congestion} needs packets that may be marked: leave ect out, or set it true`;
    throw located.errorAt(['load', index, 'ect'], message);
  }
  const sections = [...scenario.priorities, ...scenario.overrides.flatMap((own) => own.priorities)];
  const isMarked = sections.some(
    (section) =>
      section.priority === priority &&
      MARKINGS.some(({ name, marking }) => {
        const key = section.mechanisms[name];
        return key !== undefined && marking.isOn(key);
      }),
  );
  if (isMarked || marksQueues(scenario)) return;
  throw located.errorAt(
    ['load', index, 'congestion'],
    `${congestion} without marking on priority ${priority}; ` +
      `give ${MARKINGS.map(({ marking }) => marking.remedy(priority)).join(', or ')}`,
  );
}

/** WRED of some queue marks: which priorities are in it depends on the maps of ports. */
function marksQueues({ switches, overrides }: Scenario): boolean {
  const buffers = [switches.buffer, ...overrides.map((own) => own.switch.buffer ?? {})];
  return buffers.some(({ wred = {} }) => Object.values(wred).some(({ mark }) => mark.length > 0));
}

/** Whether the file sets the flow control of a priority, even to none. */
function saysFlowControl(priority: number, located: Located): boolean {
  return [String(priority), 'all'].some((key) => {
    const path = ['priorities', key];
    return located.isText(path) || located.has([...path, 'flowControl']);
  });
}
