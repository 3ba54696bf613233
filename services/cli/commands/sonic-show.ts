import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildFabric } from '../../fabric/assembly/fabric.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { loadScenario } from '../../fabric/scenario/load-scenario.js';
import { readRows } from '../../report/read-run.js';
import { SCENARIO } from '../../report/run-directory.js';
import { SHOWN, shownText, type ShownPort, type TableOfRun } from '../../sonic/show.js';
import { unknownName } from '../../settings/errors.js';
import { InputError } from '../exit.js';
import { storedRun } from './resume.js';

export interface ShowOptions {
  readonly switch?: string;
  readonly json?: boolean;
}

/** Prints counters of a run: the words of SONiC, and the folder of the run behind them. */
export function sonicShow(words: readonly string[], options: ShowOptions): void {
  const what = words.slice(0, -1).join(' ');
  const show = Object.hasOwn(SHOWN, what) ? SHOWN[what] : undefined;
  if (show === undefined) {
    const known = Object.keys(SHOWN).map((name) => `${name} RUN`);
    throw new InputError(`unknown: show ${words.join(' ')}; one of: ${known.join(', ')}`);
  }
  const folder = words.at(-1)!;
  storedRun(folder);
  const fabric = buildFabric(loadScenario(join(folder, SCENARIO), { set: [] }));
  const tables: TableOfRun = (name) => {
    const file = `${name}.csv`;
    return existsSync(join(folder, file)) ? readRows(folder, file) : [];
  };
  const switches = switchesOf(fabric).filter(({ name }) => name === (options.switch ?? name));
  if (switches.length === 0) {
    const names = switchesOf(fabric).map(({ name }) => name);
    throw new InputError(`--switch: ${unknownName('switch', options.switch ?? '', names)}`);
  }
  const shown = switches.map(({ name, ports }) => ({ name, tables: show(tables, ports) }));
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return;
  }
  const parts = shown.map(({ name, tables: own }) => {
    const text = own.map(shownText).join('\n\n');
    return shown.length === 1 ? text : `${name}:\n${text}`;
  });
  process.stdout.write(`${parts.join('\n\n')}\n`);
}

interface SwitchPorts {
  readonly name: string;
  readonly ports: readonly ShownPort[];
}

/** Ports have the names of the switch's software, where the scenario has them. */
function switchesOf({ topology, linkEnds, scenario }: Fabric): SwitchPorts[] {
  return topology.devices.flatMap(({ name, kind }, device) => {
    if (kind !== 'switch') return [];
    const own = scenario.fabric.devices.find((declared) => declared.name === name);
    const ports = linkEnds[device]!.map((end) => ({
      port: end.name,
      name: own?.interfaces?.[end.port] ?? end.name,
    }));
    return [{ name, ports }];
  });
}
