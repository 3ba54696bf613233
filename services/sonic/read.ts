import { readFileSync } from 'node:fs';
import { ASIC_NAMES, asicOfSku, ASICS } from '../fabric/buffers/asics.js';
import { scenarioOfDocument } from '../fabric/scenario/load-scenario.js';
import { ScenarioError } from '../settings/errors.js';
import type { SonicSwitch } from './configuration.js';
import { configurationOf } from './configuration.js';
import { FileErrors } from './file-errors.js';
import { readJson } from './json-source.js';
import { checkLinks } from './links.js';
import { isXml, minigraphTables } from './minigraph.js';
import { type PgProfiles, readPgProfiles } from '../fabric/buffers/pg-profiles.js';
import { isPortConfig, portConfigTables } from './port-config.js';
import type { SonicAsic } from './scenario.js';
import { switchesOf, type TablesOfFile } from './switch-files.js';
import { tablesOf } from './tables.js';

interface SonicInput {
  readonly files: readonly string[];
  /** `pg_profile_lookup.ini`. */
  readonly pgProfiles?: string;
  /** A name, or numbers as in `buffer.asic` of a scenario. */
  readonly asic?: string;
}

/** Switches of files, or all errors of all files. */
export function readSwitches({ files, pgProfiles }: SonicInput): SonicSwitch[] {
  const errors = new FileErrors();
  const profileText = pgProfiles === undefined ? null : textOf(pgProfiles, errors);
  const profiles = profileText === null ? null : readPgProfiles(pgProfiles!, profileText, errors);
  const parts = files.flatMap((file) => {
    const text = textOf(file, errors);
    return text === null ? [] : (tablesIn(file, text, errors) ?? []);
  });
  const switches = switchesOf(parts, errors).map(({ file, tables }) =>
    configurationOf(file, tables, { profiles, errors }),
  );
  const names = new Map<string, SonicSwitch>();
  for (const own of switches) {
    const before = names.get(own.name);
    names.set(own.name, own);
    if (before === undefined) continue;
    const place = { file: own.file, line: 1, key: 'DEVICE_METADATA localhost hostname' };
    errors.add(place, `${own.name} is the switch of ${before.file}, too`);
  }
  checkLinks(switches, errors);
  errors.settle();
  return switches;
}

/** A table of profiles alone. */
export function readTable(file: string): PgProfiles {
  const errors = new FileErrors();
  const text = textOf(file, errors);
  const profiles = text === null ? null : readPgProfiles(file, text, errors);
  errors.settle();
  return profiles!;
}

/** Of a file of any kind that belongs to a switch, by its content. */
function tablesIn(file: string, text: string, errors: FileErrors): TablesOfFile | null {
  if (isXml(text)) return { file, tables: minigraphTables(file, text, errors), hasAliases: true };
  if (isPortConfig(text)) return { file, tables: portConfigTables(file, text, errors) };
  const root = readJson(file, text, errors);
  return root === null ? null : { file, tables: tablesOf(file, root, errors) };
}

function textOf(file: string, errors: FileErrors): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    errors.add({ file, line: 1, key: '' }, `cannot be read (${code ?? 'unknown'})`);
    return null;
  }
}

/** The chip that is named, or described as in a scenario. */
export function asicOf(written: string | undefined, hwsku: string): SonicAsic {
  const bySku = written === undefined ? asicOfSku(hwsku) : null;
  const known = bySku ?? ASIC_NAMES.find((name) => name === written);
  if (known !== undefined) {
    const { alphaOfSeven, watchdog, ...accounting } = ASICS[known];
    const source = bySku === null ? null : `hwsku ${hwsku}`;
    return { written: known, source, accounting, alphaOfSeven, watchdog };
  }
  if (written?.trimStart().startsWith('{') !== true) {
    const what = written ?? `hwsku ${JSON.stringify(hwsku)} does not say`;
    throw new AsicError(
      `unknown ASIC: ${what}; --asic ${ASIC_NAMES.join(', ')}, or its numbers, such as ` +
        `--asic '{ cell: 254, slices: 2, poolSize: gross, portReserve: 70 }' ` +
        '(keys: cell, frame, slices, poolSize, portReserve, rounding, headroomTimes, ' +
        'headroomLost, xonFrom, memory; selvage explain switches.buffer.asic)',
    );
  }
  try {
    const base = { selvage: 1, fabric: { generator: 'pair' } };
    const set = [`switches.buffer.asic=${written}`];
    const { scenario } = scenarioOfDocument('--asic', base, { set });
    const accounting = scenario.switches.buffer.asic;
    return {
      written,
      source: null,
      accounting,
      alphaOfSeven: 128,
      watchdog: null,
    };
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    throw new AsicError(`--asic: ${error.problem}`);
  }
}

export class AsicError extends Error {}
