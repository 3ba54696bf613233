import type { Command } from 'commander';
import type { InjectOptions } from './commands/inject.js';
import type { SteerAction, SteerOptions } from './commands/steer.js';
import type { TopOptions } from './commands/top.js';
import { injection } from './shared-options.js';

const STEERING: readonly (readonly [SteerAction, string])[] = [
  ['pause', 'pause a run in progress'],
  ['step', 'advance a paused run by one round, or by a length of virtual time'],
  ['checkpoint', 'write a checkpoint of a run now'],
  ['stop', 'end a run now and report what was measured'],
];

/** Commands that reach a run in progress. */
export function addSteeringCommands(selvage: Command): void {
  selvage
    .command('status')
    .description('list runs in progress')
    .argument('[run]', 'one of them')
    .option('--json', 'print it as JSON')
    .action(async (run: string | undefined, options: { readonly json?: boolean }) => {
      const { statusCommand } = await import('./commands/steer.js');
      process.exitCode = await statusCommand(run, options);
    });

  selvage
    .command('top')
    .description('show the services of a run in progress, the slowest first')
    .argument('[run]', 'which, if there are several')
    .option('--once', 'print one screen, as where there is no terminal')
    .action(async (run: string | undefined, options: TopOptions) => {
      const { topCommand } = await import('./commands/top.js');
      process.exitCode = await topCommand(run, options);
    });

  selvage
    .command('attach')
    .description('follow a run in progress to its end')
    .argument('[run]', 'which, if there are several')
    .action(async (run: string | undefined) => {
      const { attachCommand } = await import('./commands/steer.js');
      process.exitCode = await attachCommand(run);
    });

  injection(selvage.command('inject').argument('[run]', 'which, if there are several'))
    .description('inject a fault into a run in progress, or clear one')
    .addHelpText('after', '\nA run in one process can be reached if it was started with --control.')
    .action(async (run: string | undefined, options: InjectOptions) => {
      const { injectCommand } = await import('./commands/inject.js');
      process.exitCode = await injectCommand(run, options);
    });

  for (const [action, what] of STEERING) {
    const command = selvage
      .command(action)
      .description(what)
      .argument('[run]', 'which, if there are several')
      .option('--json', 'print the answer as JSON');
    if (action === 'step') command.option('--for <time>', 'so long, as 10us');
    command.action(async (run: string | undefined, options: SteerOptions) => {
      const { steerCommand } = await import('./commands/steer.js');
      process.exitCode = await steerCommand(action, run, options);
    });
  }
}
