import type { StoredRun } from '../../report/run-directory.js';
import { whyText } from '../../report/why-text.js';
import type { WhySummary } from '../../report/why.js';
import { whyOf, whySummary } from '../../report/why.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { repeatRun } from '../../runtime/repeat-run.js';
import { EXIT, InputError } from '../exit.js';
import { styleFor } from '../style.js';
import { sameScenario, storedRun } from './resume.js';

export interface WhyOptions {
  readonly flow?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Tells what held a run back; what was not observed then is seen by repeating the run. */
export function whyCommand(run: string, options: WhyOptions): number {
  prepareEngine();
  const stored = storedRun(run);
  const why = stored.why ?? observeAgain(run, stored);
  if (options.json === true) process.stdout.write(`${JSON.stringify(why, null, 2)}\n`);
  else process.stdout.write(`${whyText(why, styleFor(process.stdout), options.all === true)}\n`);
  return EXIT.COMPLETE;
}

function observeAgain(run: string, stored: StoredRun): WhySummary {
  const { fabric } = sameScenario(run, stored);
  const { results, congestion } = repeatRun(fabric, stored.state?.boundPs ?? null);
  if (results.digest !== stored.digest) {
    throw new InputError(
      `${run} cannot be repeated from its scenario (a branch, or another version of selvage): ` +
        'run it with --set observe.episodes=true',
    );
  }
  return whySummary(whyOf(fabric, results, congestion));
}
