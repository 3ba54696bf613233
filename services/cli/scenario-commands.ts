import type { Command } from 'commander';
import type { DcbxOptions, DiscoveryOptions, PathsOptions } from './commands/discovery.js';
import type { SchemaOptions } from './commands/schema.js';
import type { TopologyOptions } from './commands/topology.js';
import type { ImportOptions } from './commands/import.js';
import type { JobsOptions } from './commands/jobs.js';
import type { ManagedOptions } from './commands/managed.js';
import type { SizeOptions } from './commands/size.js';
import type { ValidateOptions } from './commands/validate.js';
import { scenarioArgument } from './examples.js';
import { collect, settings } from './shared-options.js';

/** Commands that print results of LLDP and DCBX. */
function discovering(command: Command, argument: string): Command {
  return command
    .argument(argument, 'YAML or JSON file; of a run, its directory')
    .addOption(settings())
    .option('--at <time>', 'at this virtual time (default: after the last change)')
    .option('--json', 'print it as JSON');
}

/** Commands that check or describe a scenario. */
export function addScenarioCommands(selvage: Command): void {
  selvage
    .command('validate')
    .description('list all errors of scenarios, and warnings, without running them')
    .argument('<scenario...>', 'YAML or JSON files')
    .addOption(settings())
    .option('--strict', 'exit code 2 for warnings, too')
    .option('--json', 'print the verdicts as JSON')
    .action(async (scenarios: string[], options: ValidateOptions) => {
      const { validateCommand } = await import('./commands/validate.js');
      process.exitCode = validateCommand(scenarios, options);
    });

  selvage
    .command('schema')
    .description('print the JSON Schema of scenarios, for completion in an editor')
    .option('--summary', 'that of summary.json of a run instead')
    .option('--plugin <file>', 'with what a plugin adds; may be repeated', collect, [])
    .option('--out <file>', 'write it to a file')
    .action(async (options: SchemaOptions) => {
      const { schemaCommand } = await import('./commands/schema.js');
      schemaCommand(options);
    });

  selvage
    .command('topology')
    .description('show devices and links')
    .addArgument(scenarioArgument())
    .addOption(settings())
    .option('--format <format>', 'text, dot or svg', 'text')
    .option('--out <file>', 'write it to a file')
    .option('--json', 'devices and links as JSON')
    .action(async (scenario: string, options: TopologyOptions) => {
      const { topologyCommand } = await import('./commands/topology.js');
      topologyCommand(scenario, options);
    });

  selvage
    .command('size')
    .description('memory that flow control needs at every port, term by term')
    .addArgument(scenarioArgument())
    .addOption(settings())
    .option('--port <port>', 'of this port only')
    .option('--chip <chip>', "beside it: the headroom of a vendor's script, such as spc3")
    .option('--pg-profiles <ini>', 'beside it: that of a table (pg_profile_lookup.ini)')
    .option('--json', 'print it as JSON')
    .action(async (scenario: string, options: SizeOptions) => {
      const { sizeCommand } = await import('./commands/size.js');
      sizeCommand(scenario, options);
    });

  selvage
    .command('advise')
    .description('headroom, XOFF, XON and marking thresholds of switches, each proven by runs')
    .addArgument(scenarioArgument())
    .addOption(settings())
    .option('--port <port>', 'of this port only')
    .option('--json', 'print it as JSON')
    .action(async (scenario: string, options: SizeOptions) => {
      const { adviseCommand } = await import('./commands/advise.js');
      process.exitCode = adviseCommand(scenario, options);
    });

  selvage
    .command('import')
    .description('make a scenario of fabrics, flows and jobs in files of other programs')
    .argument('<file...>', 'the files, in any order: they are known by their content')
    .requiredOption('--out <dir>', 'where scenario.yaml and what it names are written')
    .action(async (files: string[], options: ImportOptions) => {
      const { importCommand } = await import('./commands/import.js');
      importCommand(files, options);
    });

  selvage
    .command('jobs')
    .description('what the jobs of a scenario ask for, and their time without frames')
    .addArgument(scenarioArgument())
    .addOption(settings())
    .option('--job <name>', 'this job only')
    .option('--loggops <model>', 'parameters of LogGOPS in ns, as L=2500,G=6')
    .option('--goal <file>', 'write the job as octets of GOAL, as LogGOPSim reads it')
    .option('--chakra <prefix>', 'write it as traces of Chakra, one a rank: PREFIX.RANK.et')
    .option('--json', 'print it as JSON, with the time of each rank')
    .action(async (scenario: string, options: JobsOptions) => {
      const { jobsCommand } = await import('./commands/jobs.js');
      jobsCommand(scenario, options);
    });

  selvage
    .command('managed')
    .description('managed objects of a run as instance data of the YANG modules in yang/')
    .addArgument(scenarioArgument())
    .addOption(settings())
    .option('--at <time>', 'as they are at this time (default: at the end)')
    .option('--device <name>', 'of this device, by the modules that IEEE has published')
    .action(async (scenario: string, options: ManagedOptions) => {
      const { managedCommand } = await import('./commands/managed.js');
      process.exitCode = await managedCommand(scenario, options);
    });

  discovering(selvage.command('neighbors'), '<scenario or run>')
    .description('show the LLDP neighbors of every port')
    .action(async (what: string, options: DiscoveryOptions) => {
      const { neighborsCommand } = await import('./commands/discovery.js');
      neighborsCommand(what, options);
    });

  discovering(selvage.command('dcbx'), '<scenario or run>')
    .description('show what DCBX negotiates at every port: local, remote, operational')
    .option(
      '--mismatch',
      'only ports that do not match their link partner; exit code 1 if there are any',
    )
    .action(async (what: string, options: DcbxOptions) => {
      const { dcbxCommand } = await import('./commands/discovery.js');
      process.exitCode = dcbxCommand(what, options);
    });

  discovering(selvage.command('paths'), '<scenario>')
    .description('show the flow control of each link of a path, and why')
    .requiredOption('--from <host>', 'where it begins')
    .requiredOption('--to <host>', 'where it ends')
    .option('--priority <n>', 'of this priority only')
    .action(async (file: string, options: PathsOptions) => {
      const { pathsCommand } = await import('./commands/discovery.js');
      pathsCommand(file, options);
    });
}
