import type { FaultEffect } from '../../engine/contract/fault.js';
import { firstSpell, nextSpell, type Spell } from '../../engine/faults/fault-schedule.js';
import { RandomStream } from '../../engine/kernel/random.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';

/** More activities of a fault are not listed. */
const SPELLS_MOST = 10_000;

/** A fault at a port of the fabric, and when it was active. */
export interface FaultAtPort {
  /** Its place among those of the scenario. */
  readonly fault: number;
  readonly name: string;
  readonly kind: string;
  readonly effect: FaultEffect['kind'];
  readonly device: number;
  readonly port: number;
  /** In order. */
  readonly spells: readonly Spell[];
}

/**
 * When declared and injected faults were active, up to a time. It follows from the scenario alone:
 * random ones are sampled from streams of their own.
 */
export function faultTimes({ scenario, specs }: Fabric, nowPs: number): FaultAtPort[] {
  return specs.flatMap(({ ports }, device) =>
    ports.flatMap(({ faults }, port) =>
      faults.flatMap(({ fault, seed, when, effect }) => {
        const section = scenario.faults[fault];
        if (section === undefined || effect.kind === 'excuse') return [];
        const random = new RandomStream(seed, `fault ${when.stream}`);
        const spells: Spell[] = [];
        let spell = firstSpell(when, random);
        while (spell !== null && spell.beginPs <= nowPs && spells.length < SPELLS_MOST) {
          spells.push(spell);
          spell = nextSpell(when, spell, spells.length, random);
        }
        const { name, kind } = section;
        return { fault, name, kind, effect: effect.kind, device, port, spells };
      }),
    ),
  );
}

/** For how long spells overlap a time. */
export function overlapPs(spells: readonly Spell[], fromPs: number, untilPs: number): number {
  let sum = 0;
  for (const { beginPs, endPs } of spells) {
    if (beginPs >= untilPs) break;
    sum += Math.max(0, Math.min(endPs, untilPs) - Math.max(beginPs, fromPs));
  }
  return sum;
}
