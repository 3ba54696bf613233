import { readdirSync } from 'node:fs';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { YangContainer } from '../../mechanisms/managed-objects.js';
import { didYouMean } from '../../settings/errors.js';
import { time } from '../../settings/quantities.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { packageFile } from '../../runtime/package-files.js';
import { EXIT, InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';

export interface ManagedOptions {
  readonly set: readonly string[];
  readonly at?: string;
  readonly device?: string;
}

/** Of the package, relative to where this file is compiled to. */
const MODULES = packageFile('yang');

/** Prints the managed objects of a run, at its end or at a time, as instance data of YANG. */
export async function managedCommand(
  file: string,
  { set, at, device }: ManagedOptions,
): Promise<number> {
  const atPs = at === undefined ? Infinity : timeFrom(at);
  prepareEngine();
  const { fabric } = loadFabric(file, set);
  const { Session } = await import('../../runtime/session.js');
  const { managedObjects } = await import('../../runtime/results/managed-objects.js');
  const session = new Session(fabric, { check: false });
  session.runTo(atPs);
  if (device !== undefined) {
    const { publishedObjects } = await import('../../runtime/results/published-objects.js');
    print(publishedObjects({ fabric, engine: session.engine, device: numberOf(fabric, device) }));
    return EXIT.COMPLETE;
  }
  const modules = readdirSync(MODULES).map((name) => name.replace(/\.yang$/, ''));
  print(managedObjects(fabric, session.engine, modules));
  return EXIT.COMPLETE;
}

function print(data: YangContainer): void {
  process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
}

function numberOf({ specs }: Fabric, device: string): number {
  const names = specs.map(({ name }) => name);
  const number = names.indexOf(device);
  if (number >= 0) return number;
  throw new InputError(`--device ${device}: no such device${didYouMean(device, names)}`);
}

function timeFrom(text: string): number {
  try {
    return time.parse(text);
  } catch (error) {
    throw new InputError(`--at ${text}: ${(error as Error).message}`);
  }
}
