import { TRAFFIC_CLASSES } from '../../engine/units/ethernet.js';
import type { FabricContext, MechanismPlan } from '../fabric-context.js';
import type { EcnKey } from './settings.js';
import type { EcnSpec, EcnSwitchSpec } from './spec.js';
import { assert } from '../../engine/kernel/assert.js';

/** Marking in switches. */
export class EcnPlan implements MechanismPlan<EcnSwitchSpec, never> {
  constructor(private readonly context: FabricContext<unknown, EcnKey>) {}

  /** By traffic class: the marking of its priorities, which must agree as they share a queue. */
  ofSwitch(device: number): EcnSwitchSpec | null {
    const { devices, transmit, fail } = this.context;
    const { name, priorities, links } = devices[device];
    const classes = new Array<EcnSpec>(TRAFFIC_CLASSES).fill({ kind: 'off' });
    const first = new Map<number, number>();
    for (const { priority, path, key } of priorities) {
      const trafficClass = transmit[priority];
      const spec = specOf(key, this.context);
      const other = first.get(trafficClass);
      if (other === undefined) {
        first.set(trafficClass, priority);
        classes[trafficClass] = spec;
      } else if (JSON.stringify(spec) !== JSON.stringify(classes[trafficClass])) {
        throw fail(
          [...path, 'ecn'],
          `priorities ${other} and ${priority} share traffic class ${trafficClass} of ${name} ` +
            'but are marked differently',
        );
      }
    }
    for (const { priority, path, key } of priorities) {
      const spec = JSON.stringify(specOf(key, this.context));
      const other = links.find(
        ({ classOf }) => classOf && JSON.stringify(classes[classOf[priority]]) !== spec,
      );
      if (other === undefined) continue;
      throw fail(
        [...path, 'ecn'],
        `priority ${priority} is in queue ${other.classOf![priority]} of ${other.name} (maps), ` +
          'which is marked differently; mark all of them alike, or none',
      );
    }
    return classes.every(({ kind }) => kind === 'off') ? null : { classes };
  }
}

function specOf(key: EcnKey, { outside }: FabricContext): EcnSpec {
  if (key === 'off') return { kind: 'off' };
  if (typeof key === 'string') {
    const { moment, settings } = outside.markings[key];
    return { kind: 'outside', name: key, settings, at: moment };
  }
  if ('step' in key) return { kind: 'step', thresholdOctets: key.step, at: key.at };
  const { min, max, probability, at } = key;
  assert(min <= max && probability <= 1, 'ecn.planned-curve');
  return { kind: 'red', minOctets: min, maxOctets: max, probability, at };
}
