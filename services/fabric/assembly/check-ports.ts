/** Flow control of ports against the rates of their links, and of priorities beside each other. */

import { BASIC_FRAME_OCTETS_MAX } from '../../engine/units/ethernet.js';
import { NEGOTIATED_CONTROL, pausingOf, WHOLE_PORT } from '../../mechanisms/registry.js';
import { showRate } from '../../settings/quantities.js';
import { checkPriorities } from '../scenario/check-flow-control.js';
import type { PrioritySection } from '../scenario/scenario.js';
import type { ResolvedInput } from './assembly.js';
import type { LinkEnd } from './link-ends.js';
import { isPausable, type Methods } from './link-methods.js';
import { BY_PRIORITY_BPS, type PortSettings } from './port-settings.js';

type PortsInput = Pick<
  ResolvedInput,
  'scenario' | 'linkEnds' | 'ports' | 'methods' | 'linkFrames' | 'has' | 'fail'
>;

/** Ports that are alike are checked once. */
export function checkPorts(input: PortsInput): void {
  const { scenario, linkEnds, ports, methods, fail } = input;
  const judged = new Map<PortSettings, Set<string>>();
  for (const end of linkEnds.flat()) {
    const own = ports[end.device]![end.port]!;
    const among = methods[end.device]![end.port]!;
    const known = judged.get(own);
    if (known === undefined && own.pause === null) {
      checkPriorities(scenario.classes, own.priorities, { errorAt: fail }, own.maps);
    }
    const kinds = known ?? new Set<string>();
    judged.set(own, kinds);
    const kind = [end.link.rateBps, ...among].join();
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    checkRates(own, among, end, input);
  }
}

function checkRates(
  { priorities, pause }: PortSettings,
  methods: Methods,
  { name, device, port, link: { rateBps } }: LinkEnd,
  { linkFrames, has, fail }: PortsInput,
): void {
  const view = {
    link: { name, rateBps },
    longestFrameOctets: Math.max(BASIC_FRAME_OCTETS_MAX, linkFrames[device]![port]!.longestOctets),
    ...{ errorAt: fail, has },
  };
  if (methods[0] === WHOLE_PORT) {
    if (pause === null) return;
    pausingOf(WHOLE_PORT)?.check(pause.pausing, { ...view, path: pause.path });
    return;
  }
  for (const section of priorities) {
    const method = methods[section.priority]!;
    if (method === 'none') continue;
    if (rateBps < BY_PRIORITY_BPS)
      throw fail(section.path, tooSlow(method, section, name, rateBps));
    const pausing = isPausable(method) ? NEGOTIATED_CONTROL : method;
    pausingOf(pausing)?.check(section.pausing, { ...view, path: section.path });
  }
}

function tooSlow(method: string, { flowControl }: PrioritySection, name: string, bps: number) {
  const own = flowControl === 'none' ? method : flowControl;
  const shown = showRate(bps);
  return (
    `${own} on a link too slow for it: ${name} has ${shown}; ${own} needs 10G or more, below ` +
    `that only pause is possible: ports: [{ where: { rate: ${shown} }, pause: true }]`
  );
}
