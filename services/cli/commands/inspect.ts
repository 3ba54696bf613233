import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { unknownName } from '../../settings/errors.js';
import type { NicResult } from '../../mechanisms/nic-context.js';
import type { NicSlice } from '../../mechanisms/nic-slice.js';
import { NIC } from '../../mechanisms/registry.js';
import { time } from '../../settings/quantities.js';
import { nicText } from '../../report/nic-text.js';
import { readNics } from '../../report/run-directory.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { EXIT, InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';
import { sameScenario, storedRun } from './resume.js';

export interface InspectOptions {
  readonly run?: string;
  readonly at?: string;
  readonly json?: boolean;
  /** Registers or fields to be shown, and nothing else. */
  readonly reg?: readonly string[];
  /** All registers by address. */
  readonly dump?: boolean;
}

/**
 * Shows the NIC of a device, or all of a run: at its end, from its directory; or at a time, for
 * which the run is repeated, or a scenario run, up to then. What is named may be the run itself.
 */
export async function inspectCommand(
  named: string | undefined,
  options: InspectOptions,
): Promise<number> {
  const isRun = named !== undefined && options.run === undefined && existsSync(named);
  const run = isRun ? named : (options.run ?? newestRun());
  const device = isRun ? undefined : named;
  const isFile = existsSync(run) && statSync(run).isFile();
  const nics =
    isFile || options.at !== undefined ? await runUpTo(run, isFile, options.at) : nicsOf(run);
  if (NIC === null || nics.length === 0) {
    throw new InputError(`${run}: no device has an 82599; give hosts nic: { model: 82599 }`);
  }
  const shown = device === undefined ? nics : nics.filter((own) => own.device === device);
  if (shown.length === 0) {
    const names = nics.map((own) => own.device);
    throw new InputError(`${run}: ${unknownName('device with an 82599', device!, names)}`);
  }
  const slice = NIC;
  const texts = shown.map((nic) => {
    const isNamed = shown.length > 1 && ((options.reg ?? []).length > 0 || options.dump === true);
    const title = isNamed && options.json !== true ? `${nic.device}\n` : '';
    return title + textOf(slice, nic, options);
  });
  const isList = options.json === true && device === undefined;
  process.stdout.write(isList ? `[${texts.join(',\n')}]\n` : `${texts.join('\n\n')}\n`);
  return EXIT.COMPLETE;
}

function textOf(
  slice: NicSlice,
  nic: NicResult,
  { json = false, reg = [], dump }: InspectOptions,
): string {
  if (dump === true) {
    return json ? JSON.stringify(slice.dump(nic), null, 2) : slice.dumpText(nic);
  }
  if (reg.length === 0) return json ? JSON.stringify(nic, null, 2) : nicText(slice, nic);
  const fail = (message: string): Error => new InputError(`--reg: ${message}`);
  const values = reg.map((name) => [name, slice.registerValue(nic, name, fail)] as const);
  if (json) return JSON.stringify(Object.fromEntries(values), null, 2);
  return values.map(([name, value]) => `${name} = ${slice.registerText(name, value)}`).join('\n');
}

function nicsOf(folder: string): readonly NicResult[] {
  try {
    return readNics(folder);
  } catch (error) {
    throw new InputError((error as Error).message);
  }
}

async function runUpTo(
  run: string,
  isFile: boolean,
  at: string | undefined,
): Promise<readonly NicResult[]> {
  prepareEngine();
  const { fabric } = isFile ? loadFabric(run, []) : sameScenario(run, storedRun(run));
  const { Session } = await import('../../runtime/session.js');
  const session = new Session(fabric, { check: false });
  const atPs = at === undefined ? Infinity : timeFrom(at);
  session.runTo(atPs);
  if (atPs === Infinity) return session.results('complete').nics;
  return NIC?.results(session.engine, Math.min(atPs, session.endPs ?? Infinity)) ?? [];
}

function newestRun(): string {
  const folders = existsSync('runs')
    ? readdirSync('runs')
        .filter((name) => !name.startsWith('.'))
        .map((name) => join('runs', name))
    : [];
  const [newest] = folders.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (newest !== undefined) return newest;
  throw new InputError('there is no run in runs/; name a run directory or a scenario with --run');
}

function timeFrom(text: string): number {
  try {
    return time.parse(text);
  } catch (error) {
    throw new InputError(`--at ${text}: ${(error as Error).message}`);
  }
}
