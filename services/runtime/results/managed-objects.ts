import type { ManagedValue } from '../../engine/contract/flow-control.js';
import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { ManagedObjects, YangContainer } from '../../mechanisms/managed-objects.js';
import { counterLeaves, uint64 } from '../../mechanisms/managed-objects.js';

/**
 * Managed objects of all devices as instance data (RFC 7951) of the available modules, by their
 * names.
 */
export function managedObjects(
  { linkEnds, mechanisms, specs }: Fabric,
  engine: Engine,
  modules: readonly string[],
): YangContainer {
  const devices = engine.devices.map(({ place, spec, firstPort }): YangContainer => {
    const own = mechanisms.flatMap(({ slice }) => {
      const objects = slice.managed?.({ engine, place }) ?? null;
      return objects === null ? [] : [{ name: slice.name, objects }];
    });
    const ends = linkEnds[specs.findIndex(({ name }) => name === spec.name)]!;
    return {
      name: spec.name,
      kind: spec.kind,
      ...containers(own, ({ device }) => device),
      port: ends.map(({ name, port }) => ({
        name,
        number: port + 1,
        ...containers(own, ({ ports }) => ports[port] ?? null),
        ...byPriority(engine, firstPort + port, modules),
      })),
    };
  });
  const now = uint64(engine.clock.now);
  return { 'selvage-devices:devices': { 'virtual-time': now, device: devices } };
}

function containers(
  own: readonly { readonly name: string; readonly objects: ManagedObjects }[],
  of: (objects: ManagedObjects) => YangContainer | null,
): YangContainer {
  const entries = own.map(({ name, objects }) => [nodeName(name), of(objects)] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, YangContainer] => entry[1] !== null),
  );
}

/** Counters of the engine's own mechanisms by port and priority. */
function byPriority(engine: Engine, port: number, modules: readonly string[]): YangContainer {
  const lists = engine.mechanisms.flatMap((mechanism) => {
    if (!modules.includes(`selvage-${mechanism.name}`)) return [];
    const values = mechanism.managedValues?.(port, engine.clock.now) ?? [];
    const priorities = new Map<number, ManagedValue[]>();
    for (const value of values) {
      if (value.priority === null) continue;
      priorities.set(value.priority, [...(priorities.get(value.priority) ?? []), value]);
    }
    const rows = [...priorities].map(([priority, own]) => ({ priority, ...counterLeaves(own) }));
    return rows.length === 0 ? [] : [[nodeName(mechanism.name), { priority: rows }] as const];
  });
  return Object.fromEntries(lists);
}

/** The container of a mechanism in the module of its name. */
function nodeName(mechanism: string): string {
  return `selvage-${mechanism}:${mechanism}`;
}
