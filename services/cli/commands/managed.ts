import { readdirSync } from 'node:fs';
import { time } from '../../settings/quantities.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { packageFile } from '../../runtime/package-files.js';
import { EXIT, InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';

export interface ManagedOptions {
  readonly set: readonly string[];
  readonly at?: string;
}

/** Of the package, relative to where this file is compiled to. */
const MODULES = packageFile('yang');

/** Prints the managed objects of a run, at its end or at a time, as instance data of YANG. */
export async function managedCommand(file: string, { set, at }: ManagedOptions): Promise<number> {
  const atPs = at === undefined ? Infinity : timeFrom(at);
  prepareEngine();
  const { fabric } = loadFabric(file, set);
  const { Session } = await import('../../runtime/session.js');
  const { managedObjects } = await import('../../runtime/results/managed-objects.js');
  const session = new Session(fabric, { check: false });
  session.runTo(atPs);
  const modules = readdirSync(MODULES).map((name) => name.replace(/\.yang$/, ''));
  const data = managedObjects(fabric, session.engine, modules);
  process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
  return EXIT.COMPLETE;
}

function timeFrom(text: string): number {
  try {
    return time.parse(text);
  } catch (error) {
    throw new InputError(`--at ${text}: ${(error as Error).message}`);
  }
}
