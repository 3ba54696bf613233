import { Command } from 'commander';
import type { ExplainOptions } from './commands/explain.js';
import type { DoctorOptions } from './commands/doctor.js';
import type { InitOptions } from './commands/init.js';
import { collect } from './shared-options.js';
import { addClusterCommands } from './cluster-commands.js';
import { addRunCommands, addSeriesCommands } from './run-commands.js';
import { addSteeringCommands } from './steering-commands.js';
import { addResultCommands } from './result-commands.js';
import { addScenarioCommands } from './scenario-commands.js';
import { addOtgCommands } from './otg-commands.js';
import { addSonicCommands } from './sonic-commands.js';
import { arrangeHelp } from './help.js';
import { TEMPLATE_NAMES } from './templates.js';
import { listed } from '../settings/errors.js';
import { readVersion } from '../runtime/version.js';

// Commands are loaded when they are called: `--help` does not load the schema.

/**
 * Every command with its options; actions load what they execute when they are called.
 * `mechanisms`: what help says of the mechanisms of a duel.
 */
export function program(mechanisms = 'selvage duel --help lists them'): Command {
  const selvage = new Command('selvage')
    .description(
      'Emulates lossless datacenter Ethernet: switches, NICs and flow control, frame by frame.',
    )
    .version(readVersion())
    .exitOverride()
    .configureHelp({ showGlobalOptions: false })
    .addHelpText(
      'after',
      '\nExit codes: 0 complete and expectations hold, 1 expectations failed, 2 bad input or\n' +
        'usage, 3 the run failed, 4 flows stalled or deadlocked unexpectedly, 5 flows starved\n' +
        'by the configuration unexpectedly, 130 interrupted.',
    );

  addRunCommands(selvage);
  addSeriesCommands(selvage, mechanisms);
  addSteeringCommands(selvage);
  addResultCommands(selvage);
  addScenarioCommands(selvage);
  addSonicCommands(selvage);
  addOtgCommands(selvage);
  addClusterCommands(selvage);
  addFirstCommands(selvage);
  arrangeHelp(selvage);
  return selvage;
}

/** Commands to begin with, and about Selvage itself. */
function addFirstCommands(selvage: Command): void {
  selvage
    .command('init')
    .description('write a commented scenario to start from; asks for what options leave open')
    .argument('[file]', 'where to', 'scenario.yaml')
    .option('--fabric <name>', 'leaf-spine, star or fat-tree')
    .option('--mechanism <name>', 'one that selvage duel --help lists')
    .option('--load <name>', 'incast, all-to-all or random')
    .option('--template <name>', `instead of these: ${listed(TEMPLATE_NAMES)}`)
    .action(async (file: string, options: InitOptions) => {
      const { initCommand } = await import('./commands/init.js');
      await initCommand(file, options);
    });

  selvage
    .command('examples')
    .description('list the scenarios that come with Selvage, or print one of them')
    .argument('[name]', 'such as ring-deadlock')
    .action(async (name: string | undefined) => {
      const { examplesCommand } = await import('./commands/examples.js');
      examplesCommand(name);
    });

  selvage
    .command('doctor')
    .description('check what this machine has of what commands need')
    .option('--json', 'print it as JSON')
    .action(async (options: DoctorOptions) => {
      const { doctorCommand } = await import('./commands/doctor.js');
      process.exitCode = doctorCommand(options);
    });

  selvage
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => {
      const [{ completionFor }, { knownValues }] = await Promise.all([
        import('./completion.js'),
        import('./known-names.js'),
      ]);
      process.stdout.write(completionFor(selvage, shell, knownValues()));
    });

  selvage
    .command('explain')
    .description('explain a term, a metric or a key of a scenario')
    .argument('[topic...]', 'for example watchdog, head-of-line blocking, or priorities.*.xoff')
    .option('--plugin <file>', 'with what a plugin adds; may be repeated', collect, [])
    .option('--json', 'print it as JSON')
    .option('--markdown', 'print every key, or `commands`, `metrics` or `tables`, as a page')
    .action(async (words: readonly string[], options: ExplainOptions) => {
      const topic = words.length === 0 ? undefined : words.join(' ');
      if (options.markdown === true && topic !== undefined) {
        const { referencePage } = await import('./reference-pages.js');
        process.stdout.write(referencePage(topic, selvage));
        return;
      }
      const { explainCommand } = await import('./commands/explain.js');
      explainCommand(topic, options);
    });
}
