import { EXCHANGE } from '../mechanisms/registry.js';
import type { selvage } from '#contracts';
import type { PortColumn, PortColumns } from './port-sample.js';
import { blankColumns, columnsBy, PORT_COLUMNS, withPriorities } from './port-sample.js';

/** As the contract calls what a port may still send. */
const SPOKEN_GRANTS = `${EXCHANGE}Units` as const;

type SpokenColumn = Exclude<PortColumn, 'grantedUnits'> | typeof SPOKEN_GRANTS;

function spokenName(name: PortColumn): SpokenColumn {
  return name === 'grantedUnits' ? SPOKEN_GRANTS : name;
}

/** Columns of ports as they are sent between processes. */
export function spokenColumns(columns: PortColumns): selvage.v1.PortColumns.$Properties {
  const spoken = PORT_COLUMNS.map((name) => [spokenName(name), [...columns[name]]]);
  return {
    priorities: [...columns.priorities],
    ...(Object.fromEntries(spoken) as Record<SpokenColumn, number[]>),
  };
}

export function receivedColumns(columns: selvage.v1.PortColumns.$Properties | null): PortColumns {
  return columnsBy(columns?.priorities ?? [], (name) =>
    Float64Array.from(columns?.[spokenName(name)] ?? []),
  );
}

/** The columns of a fabric from those of its parts; `ports`: those of each part, in order. */
export function joinedColumns(
  parts: readonly PortColumns[],
  ports: readonly (readonly number[])[],
): PortColumns {
  const count = ports.reduce((sum, { length }) => sum + length, 0);
  const known = new Set(parts.flatMap(({ priorities }) => priorities));
  const priorities = [...known].sort((a, b) => a - b);
  const width = priorities.length;
  const joined = blankColumns(count, priorities);
  parts.forEach((part, p) => {
    const own = withPriorities(part, ports[p]!.length, priorities);
    for (const name of PORT_COLUMNS) {
      ports[p]!.forEach((port, i) => {
        joined[name].set(own[name].subarray(i * width, (i + 1) * width), port * width);
      });
    }
  });
  return joined;
}

/** By part: its ports by their index in the fabric; `lengths`: number of ports of each device. */
export function portsOfParts(
  parts: readonly (readonly number[])[],
  lengths: readonly number[],
): number[][] {
  const first = lengths.map((_, d) => lengths.slice(0, d).reduce((a, b) => a + b, 0));
  return parts.map((devices) =>
    devices.flatMap((d) => Array.from({ length: lengths[d]! }, (_, port) => first[d]! + port)),
  );
}
