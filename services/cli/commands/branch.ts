import { isDeepStrictEqual } from 'node:util';
import type { LoadedScenario } from '../../fabric/scenario/load-scenario.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { NIC } from '../../mechanisms/registry.js';
import { time } from '../../settings/quantities.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import type { FaultRequest, FaultWords } from '../../runtime/live-faults.js';
import { LiveFaults } from '../../runtime/live-faults.js';
import type { EmulateOptions } from '../emulation.js';
import { emulate } from '../emulate.js';
import { InputError } from '../exit.js';
import { formatTime } from '../../report/format.js';
import { loadFabric } from '../load-fabric.js';
import { sameScenario, storedRun } from './resume.js';

export interface BranchOptions extends EmulateOptions {
  readonly at: string;
  readonly set: readonly string[];
}

/** Sections that a branch cannot change: their flows and links are in use. */
const FIXED = ['fabric', 'load', 'groups', 'seed'] as const;

/**
 * A run is repeatable, so any of its times can be reached again: the old scenario is run up to it,
 * from the run's saved state if that is earlier, and the new one continues from there.
 */
export async function branchCommand(run: string, options: BranchOptions): Promise<number> {
  prepareEngine();
  const atPs = timeFrom(options.at);
  const stored = storedRun(run);
  const before = sameScenario(run, stored);
  const wanted = loadFabric(before.file, [...before.set, ...options.set]);
  // Faults are injected and ended at the time of the branch; all else is another scenario.
  const set = [...before.set, ...options.set.filter((change) => !/^faults[.=]/.test(change))];
  const after = loadFabric(before.file, set);
  for (const section of FIXED) {
    const [a, b] = [before.fabric.scenario[section], after.fabric.scenario[section]];
    if (!isDeepStrictEqual(a, b)) {
      throw new InputError(`a branch cannot change ${section}: what it says is under way`);
    }
  }
  checkNics(before.fabric, after.fabric);
  const { Session } = await import('../../runtime/session.js');
  const { rebase } = await import('../../runtime/rebase.js');
  const session = new Session(before.fabric, { check: false });
  if (stored.state !== null && stored.state.boundPs <= atPs) session.restore(stored.state);
  session.runTo(atPs);
  const isOver = session.endPs === null ? session.boundPs === Infinity : atPs >= session.endPs;
  if (isOver) {
    const endPs = session.endPs ?? session.progress().virtualPs;
    throw new InputError(
      `--at ${options.at}: the run ends at ${formatTime(endPs)}; name a time before`,
    );
  }
  const past = new LiveFaults(before.loaded, before.fabric);
  for (const request of requestsFor(past.loaded, wanted.loaded)) {
    session.change(past.take(request, atPs).change, past.fabric);
  }
  const steps = [...before.steps, ...past.steps];
  const future = new LiveFaults(after.loaded, after.fabric);
  future.repeat(steps);
  const { loaded, fabric } = future;
  const whole = { ...session.save(), boundPs: atPs };
  const from = rebase(whole, past.fabric, fabric, atPs);
  return emulate({ file: before.file, set, steps, loaded, fabric, from }, options);
}

/** Requests that turn the faults of one scenario into those of another. */
function requestsFor(before: LoadedScenario, after: LoadedScenario): FaultRequest[] {
  const [old, wanted] = [faultsOf(before), faultsOf(after)];
  const isIn = (list: readonly FaultWords[], fault: FaultWords): boolean =>
    list.some((other) => isDeepStrictEqual(other, fault));
  const cleared = old.flatMap((fault, number): FaultRequest[] => {
    const { name } = before.scenario.faults[number]!;
    return isIn(wanted, fault) ? [] : [{ kind: 'clear', name }];
  });
  const taken = new Set(before.scenario.faults.map(({ name }) => name));
  const injected = wanted.flatMap((fault): FaultRequest[] => {
    if (isIn(old, fault)) return [];
    const { name, ...unnamed } = fault;
    return [{ kind: 'inject', fault: taken.has(name as string) ? unnamed : fault }];
  });
  return [...cleared, ...injected];
}

function faultsOf({ document }: LoadedScenario): readonly FaultWords[] {
  const { faults } = JSON.parse(JSON.stringify(document)) as { readonly faults?: FaultWords[] };
  return faults ?? [];
}

/** A part that runs keeps settings that are fixed before it does. */
function checkNics(before: Fabric, after: Fabric): void {
  before.specs.forEach((spec, d) => {
    const changed = after.specs[d];
    if (spec.kind !== 'host' || changed?.kind !== 'host') return;
    const what = NIC?.lastingDifference(spec.nic, changed.nic) ?? null;
    if (what === null) return;
    const message = `a branch cannot change ${what} of the NIC of ${spec.name}`;
    throw new InputError(`${message}: it is set before the part runs`);
  });
}

function timeFrom(text: string): number {
  try {
    return time.parse(text);
  } catch (error) {
    throw new InputError(`--at ${text}: ${(error as Error).message}`);
  }
}
