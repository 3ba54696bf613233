import type { Prepare } from '../../services/hunt/trial.js';
import { pfcOf } from './pfc.js';
import type { Session } from '../../services/runtime/session.js';
import { mechanismOf } from '../../services/mechanisms/credit/mechanism.js';

/**
 * Defects, planted into the objects of one run: production code knows nothing of them. Each is what
 * a tired hand could write.
 */
export interface Mutant {
  readonly name: string;
  readonly plant: Prepare;
  /** Faults that a hunt adds to a run, at most. */
  readonly faults: number;
}

type Engine = Session['engine'];
type Patched<T> = { -readonly [Key in keyof T]: T[Key] };

/** Replaces a method of one object by what `make` makes of it. */
function patch<T extends object, Key extends keyof T>(
  object: T,
  key: Key,
  make: (original: T[Key]) => T[Key],
): void {
  const original = object[key] as unknown as (...all: unknown[]) => unknown;
  (object as Patched<T>)[key] = make(original.bind(object) as T[Key]);
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a unit of credit that leaks on every resynchronisation',
    faults: 3,
    plant: ({ engine }: Session): void => {
      const { receiver } = mechanismOf(engine);
      patch(receiver, 'linkUp', (linkUp) => (row) => {
        receiver.storeCopy(row, 1);
        linkUp(row);
      });
    },
  },
  {
    name: 'a PFC refresh that comes one quantum late',
    faults: 3,
    plant: ({ engine }: Session): void => {
      const initiator = pfcOf(engine).initiator as unknown as { refreshPs: Float64Array };
      engine.devices.forEach(({ spec, firstPort }) => {
        spec.ports.forEach(({ pausing, octetPs }, p) => {
          if (pausing?.mechanism !== 'pfc') return;
          initiator.refreshPs[firstPort + p] = (pausing.quanta + 1) * 64 * octetPs;
        });
      });
    },
  },
  {
    name: 'ETS shares that are off by one class',
    faults: 0,
    plant: ({ engine }: Session): void => {
      for (const { arbiters } of engine.devices) {
        for (const arbiter of arbiters) {
          patch(arbiter, 'pick', (pick) => (eligible, heads, port) => {
            // Class 3 has the share of class 4, and the other way round.
            const swapped = ((eligible & 8) << 1) | ((eligible & 16) >> 1);
            const view = {
              headWireOctets: (at: number, tc: number) => heads.headWireOctets(at, 7 - tc),
              queuedOctets: (at: number, tc: number) => heads.queuedOctets(at, 7 - tc),
            };
            return 7 - pick(swapped, view, port);
          });
        }
      }
    },
  },
  {
    name: 'a frame that is freed twice',
    faults: 3,
    plant: ({ engine }: Session): void => {
      const { pool } = engine.shared;
      let released = 0;
      patch(pool, 'release', (release) => (frame) => {
        release(frame);
        if (++released % 64 === 0) release(frame);
      });
    },
  },
  {
    name: 'a pause that ends one quantum early',
    faults: 3,
    plant: ({ engine }: Session): void => {
      patch(pfcOf(engine).responder, 'load', (load) => (port, timer, quanta) => {
        load(port, timer, Math.max(0, quanta - 1));
      });
    },
  },
  {
    name: 'credit that is spent one unit short',
    faults: 3,
    plant: ({ engine }: Session): void => {
      patch(mechanismOf(engine).sender, 'spend', (spend) => (row, units) => {
        spend(row, units - 1);
      });
    },
  },
  {
    name: 'memory that a reboot does not give back',
    faults: 3,
    plant: ({ engine }: Session): void => {
      (engine.switching as Patched<Engine['switching']>).free = (): void => undefined;
    },
  },
  {
    name: 'a transmitter that nobody wakes after a fault',
    faults: 3,
    plant: ({ engine }: Session): void => {
      const faults = engine.faults as unknown as { tools: { wake(port: number): void } };
      faults.tools.wake = (): void => undefined;
    },
  },
];
