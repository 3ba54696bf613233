import { TRAFFIC_CLASSES } from '../../engine/units/ethernet.js';
import type { EcnSpec } from '../../engine/contract/spec.js';
import type { EcnSection, Scenario } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { Settings } from './settings.js';
import { placeOfPriority } from './settings.js';

/** Of a switch that does not know it. */
export const NO_MARKING: EcnSpec[] = new Array<EcnSpec>(TRAFFIC_CLASSES).fill({ kind: 'off' });

/** By traffic class: the marking of its priorities, which must agree as they share a queue. */
export function ecnSpecs(
  { classes }: Scenario,
  settings: Settings,
  name: string,
  fail: Fail,
): EcnSpec[] {
  const specs = new Array<EcnSpec>(TRAFFIC_CLASSES).fill({ kind: 'off' });
  const first = new Map<number, number>();
  for (const { priority, ecn } of settings.priorities) {
    const trafficClass = classes.transmit[priority]!;
    const spec = ecnSpec(ecn);
    const other = first.get(trafficClass);
    if (other === undefined) {
      first.set(trafficClass, priority);
      specs[trafficClass] = spec;
    } else if (JSON.stringify(spec) !== JSON.stringify(specs[trafficClass])) {
      throw fail(
        [...placeOfPriority(settings, priority), 'ecn'],
        `priorities ${other} and ${priority} share traffic class ${trafficClass} of ${name} ` +
          'but are marked differently',
      );
    }
  }
  return specs;
}

function ecnSpec(section: EcnSection): EcnSpec {
  switch (section.kind) {
    case 'off':
      return { kind: 'off' };
    case 'step':
      return { kind: 'step', thresholdOctets: section.thresholdBytes, at: section.at };
    case 'red': {
      const { kind, minBytes, maxBytes, probability, at } = section;
      return { kind, minOctets: minBytes, maxOctets: maxBytes, probability, at };
    }
  }
}
