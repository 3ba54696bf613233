/** Probes of a configured switch: a port of each kind, or those that are asked for. */

import type { Fabric } from '../fabric/assembly/fabric.js';
import type { ProbeResult } from './probe.js';
import { probe } from './probe.js';
import type { PortPlace } from './port-place.js';

export interface PortProbe {
  readonly switch: string;
  readonly port: string;
  readonly group: number;
  readonly result: ProbeResult;
}

interface ProbeChoice {
  readonly port?: string;
  readonly group?: number;
}

/** More groups would only be at the thresholds of those before. */
const GROUPS_MOST = 64;

export function probePorts(
  fabric: Fabric,
  places: readonly PortPlace[],
  { port, group }: ProbeChoice,
): PortProbe[] {
  const kinds = new Set<string>();
  return places.flatMap((place) => {
    const own = place.port;
    if (port !== undefined && own.name !== port) return [];
    const kind = [place.of, own.speedMbps, own.cable, own.pfc, profileNames(place)].join();
    if (port === undefined && kinds.has(kind)) return [];
    kinds.add(kind);
    const paused = own.pfc.filter((one) => own.groups.has(one));
    const chosen = paused.filter((one) =>
      group === undefined ? one === paused[0] : one === group,
    );
    return chosen.map((priority): PortProbe => {
      const lossy = [0, 1, 2].find((one) => !own.pfc.includes(one) && own.queues.has(one)) ?? null;
      const request = { device: place.device, port: place.number - 1, priority, paused, lossy };
      const result = probe(fabric, { ...request, groups: GROUPS_MOST });
      return { switch: place.of, port: own.name, group: priority, result };
    });
  });
}

function profileNames({ port }: PortPlace): string {
  return [...port.groups].map(([group, { name }]) => `${group} ${name}`).join();
}

/** What a lab found: a line of a CSV file with these columns. */
export interface Expected {
  readonly port: string;
  readonly group: number;
  readonly values: ReadonlyMap<string, number>;
  readonly margin: number | null;
}

export interface Difference {
  readonly port: string;
  readonly group: number;
  readonly what: string;
  readonly found: number | null;
  readonly expected: number;
  readonly within: number;
}

/** Columns of a CSV file that are compared, and by how much they may differ without a margin. */
const WITHIN: Readonly<Record<string, number>> = { pfc: 2, drop: 4, xon: 4, lossy_egress: 4 };

export class ExpectedError extends Error {}

export function readExpected(file: string, text: string): Expected[] {
  const lines = text.split(/\r?\n/);
  const columns = (lines[0] ?? '').split(',').map((name) => name.trim());
  const wrong = ['port', 'pg'].find((name) => !columns.includes(name));
  if (wrong !== undefined) {
    const known = ['port', 'pg', ...Object.keys(WITHIN), 'margin'].join(', ');
    throw new ExpectedError(`${file}:1: no column ${wrong}; columns are ${known}`);
  }
  return lines.slice(1).flatMap((line, i) => {
    if (line.trim() === '') return [];
    const cells = line.split(',').map((cell) => cell.trim());
    const numberAt = (name: string): number | null => {
      const cell = cells[columns.indexOf(name)] ?? '';
      if (cell === '') return null;
      if (/^\d+$/.test(cell)) return Number(cell);
      throw new ExpectedError(`${file}:${i + 2}: ${name} is ${JSON.stringify(cell)}, not a number`);
    };
    const values = Object.keys(WITHIN).flatMap((name): [string, number][] => {
      const value = numberAt(name);
      return value === null ? [] : [[name, value]];
    });
    const port = cells[columns.indexOf('port')]!;
    const group = numberAt('pg') ?? 0;
    return [{ port, group, values: new Map(values), margin: numberAt('margin') }];
  });
}

export function differencesFrom(
  probes: readonly PortProbe[],
  expected: readonly Expected[],
): Difference[] {
  return expected.flatMap(({ port, group, values, margin }) => {
    const found = probes.find((one) => one.port === port && one.group === group)?.result;
    const of: Readonly<Record<string, number | null | undefined>> = {
      ...{ pfc: found?.pfc, drop: found?.drop, xon: found?.xon },
      lossy_egress: found?.lossyEgress,
    };
    return [...values].flatMap(([what, value]): Difference[] => {
      const within = Math.max(WITHIN[what]!, margin ?? 0);
      const own = of[what] ?? null;
      if (own !== null && Math.abs(own - value) <= within) return [];
      return [{ port, group, what, found: own, expected: value, within }];
    });
  });
}
