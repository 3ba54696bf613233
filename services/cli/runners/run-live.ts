import { AttachError } from '../../attach/live-hosts.js';
import { AttachedRun } from '../../attach/attached-run.js';
import type { Measured } from '../../library/runners.js';
import { runInProcess } from '../../library/runners.js';
import { shownFaults } from '../../live/shown-faults.js';
import type { EmulateOptions, Emulation } from '../emulation.js';
import type { LiveView } from '../live-view.js';
import type { ProgressLine } from '../progress.js';
import { controlOf, onInterrupt } from './steering.js';

/** In this thread, with real hosts at its live ports. */
export async function runLive(
  emulation: Emulation,
  options: EmulateOptions,
  progress: ProgressLine,
  view: LiveView | null,
): Promise<Measured> {
  const { fabric, loaded } = emulation;
  let attached: AttachedRun | null = null;
  const measured = await runInProcess(
    { ...emulation, check: options.check === true, paused: false },
    async (run, session) => {
      const own = new AttachedRun(session, fabric, (text) => {
        progress.clear();
        process.stderr.write(`${text}\n`);
      });
      attached = own;
      try {
        await own.open();
      } catch (error) {
        if (error instanceof AttachError) throw loaded.errorAt(error.path, error.message);
        throw error;
      }
      run.listener =
        view &&
        (await view.open(
          run,
          () => run.status,
          () => shownFaults(run.live.list(), session.boundPs),
        ));
      const closeControl = await controlOf(run, options);
      const removeHandlers = onInterrupt(() => {
        own.stop();
      });
      await options.attached?.();
      own.begin();
      return {
        progressed: () => {
          progress.show(() => run.progress());
        },
        close: () => {
          progress.clear();
          removeHandlers();
          closeControl();
          own.close();
        },
      };
    },
    (run, progressed) => run.follow(attached!, progressed),
  );
  const { recording } = attached!;
  const results = attached!.resultsOf(measured.results);
  return { ...measured, results, state: null, inputs: recording };
}
