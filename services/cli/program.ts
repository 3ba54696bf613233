import { Command } from 'commander';
import type { BranchOptions } from './commands/branch.js';
import type { InjectOptions } from './commands/inject.js';
import type { InspectOptions } from './commands/inspect.js';
import type { DuelOptions } from './commands/duel.js';
import type { HuntCommandOptions } from './commands/hunt.js';
import type { CoordinateOptions } from './commands/coordinate.js';
import type { RunOptions } from './commands/run.js';
import type { ServiceOptions } from './commands/service.js';
import type { DcbxOptions, DiscoveryOptions, PathsOptions } from './commands/discovery.js';
import type { ExplainOptions } from './commands/explain.js';
import type { SchemaOptions } from './commands/schema.js';
import type { EmulateOptions } from './emulation.js';
import type { QueryOptions } from './commands/query.js';
import { addClusterCommands } from './cluster-commands.js';
import type { SteerAction, SteerOptions } from './commands/steer.js';
import type { ExperimentOptions, SweepOptions } from './commands/sweep.js';
import type { TopOptions } from './commands/top.js';
import type { TraceOptions } from './commands/trace.js';
import type { TopologyOptions } from './commands/topology.js';
import type { ManagedOptions } from './commands/managed.js';
import type { SizeOptions } from './commands/size.js';
import type { WhyOptions } from './commands/why.js';
import type { DoctorOptions } from './commands/doctor.js';
import type { InitOptions } from './commands/init.js';
import type { ValidateOptions } from './commands/validate.js';
import { arrangeHelp } from './help.js';
import { readVersion } from '../runtime/version.js';

// Commands are loaded when they are called: `--help` does not load the schema.

const collect = (value: string, before: string[]): string[] => [...before, value];

const STEERING: readonly (readonly [SteerAction, string])[] = [
  ['pause', 'pause a run in progress'],
  ['step', 'advance a paused run by one round, or by a length of virtual time'],
  ['checkpoint', 'write a checkpoint of a run now'],
  ['stop', 'end a run now and report what was measured'],
];

/** Options of commands that run a scenario, in several processes if requested. */
function distributed(command: Command): Command {
  const placed = command
    .option('--threads <n>', 'in so many threads of this process, or of each service')
    .option('--processes', 'a service process per device (or per `placement`), over NATS');
  return linked(grouped(placed)).option(
    '--checkpoint-every <s>',
    'wall-clock seconds between checkpoints (default: 2)',
  );
}

/** A run with a live page. */
function watched(command: Command): Command {
  return command
    .option('--ui [port]', 'serve a page that follows the run (default: any free port)')
    .option('--ui-host <host>', 'not on loopback but here; the token is in SELVAGE_UI_TOKEN')
    .option('--paused', 'begin paused (with --ui, --control or services)');
}

/** How many devices share a service. */
function grouped(command: Command): Command {
  return command
    .option('--devices-per-service <n>', 'services of so many devices each')
    .option('--services <n>', 'so many services of about equal work');
}

/** Options of commands with many runs, which may be pods of a cluster. */
function inPods(command: Command): Command {
  return command
    .option('--k8s', 'in pods of the cluster of kubectl, instead of here')
    .option('--namespace <name>', 'with --k8s: created and deleted unless it exists', 'selvage')
    .option('--image <image>', 'with --k8s: with a version (default: selvage:<this version>)')
    .option('--values <file>', 'with --k8s: what the cluster needs: nodes, resources, labels')
    .option('--pods <n>', 'with --k8s: at most so many pods at once')
    .option('--keep', 'with --k8s: leave everything in the cluster');
}

/** Outputs of a run. */
function recorded(command: Command): Command {
  return command
    .option('--seed <n>', 'seed of all randomness')
    .option(
      '--no-observe',
      'no time series and no congestion episodes unless the scenario has them',
    )
    .option('--metrics <port>', 'serve metrics for Prometheus on loopback, or at host:port')
    .option('--otlp <url>', 'send spans and metrics to grpc://host:4317 or http://host:4318')
    .option('--otlp-epoch <when>', 'spans of the last minutes: now; of 2000-01-01: fixed')
    .option('--otlp-scale <n>', 'show times n times as long: 1000 for a ns as a microsecond')
    .option('--no-parquet', 'leave tables as CSV only')
    .option(
      '--capture <ports>',
      'leaf1:p3, h* or leaf1--spine1: into capture.pcapng; repeatable',
      collect,
      [],
    )
    .option(
      '--capture-filter <what>',
      'only priority=3,type=pfc,flow=17; repeated: any of them',
      collect,
      [],
    );
}

/** Addresses and secrets of the processes of a run. */
function linked(command: Command): Command {
  return command
    .option('--nats <url>', 'a broker that exists (default: start nats-server from PATH)')
    .option('--nats-user <name>', 'user there; password in SELVAGE_NATS_PASSWORD')
    .option('--nats-nkey <file>', 'NKey seed (a token goes into SELVAGE_NATS_TOKEN)')
    .option('--nats-creds <file>', 'credentials file')
    .option('--nats-ca <file>', 'certificate authority of the broker')
    .option('--nats-cert <file>', 'client certificate')
    .option('--nats-key <file>', 'key of the client certificate')
    .option('--control-ca <file>', 'mutual TLS on the control plane: authority')
    .option('--control-cert <file>', 'certificate of coordinator, services and commands')
    .option('--control-key <file>', 'its key')
    .option('--insecure', 'links off loopback need no TLS (or SELVAGE_INSECURE=1)')
    .option(
      '--checkpoints <where>',
      'a folder, s3://bucket/folder, or jetstream (default: temporary)',
    )
    .option('--patience <s>', 'seconds to wait for a lost service (default: 60)')
    .option('--log <level>', 'log to stderr: error, warn, info or debug (or SELVAGE_LOG)')
    .option('--log-format <format>', 'text or json (or SELVAGE_LOG_FORMAT)');
}

/** Commands that print results of LLDP and DCBX. */
function discovering(command: Command, argument: string): Command {
  return command
    .argument(argument, 'YAML or JSON file; of a run, its directory')
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
    .option('--at <time>', 'at this virtual time (default: after the last change)')
    .option('--json', 'print it as JSON');
}

/** Every command with its options; actions load what they execute when they are called. */
export function program(): Command {
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
        'usage, 3 the run failed, 4 flows stalled or deadlocked unexpectedly, 130 interrupted.',
    );

  recorded(watched(distributed(selvage.command('run'))))
    .description('run a scenario and write its run directory')
    .argument('<scenario>', 'YAML or JSON file')
    .option('--out <dir>', 'run directory (default: runs/<name>-<digest>)')
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
    .option('--check', 'check conservation of frames and credit, and every pause, during the run')
    .option('--check-rows', 'also see that devices change no state of each other (slow)')
    .option('--json', 'print the summary as JSON and nothing else')
    .option('--quiet', 'no progress, no summary')
    .option('--control', 'accept status, attach, pause, inject, … in one process, too')
    .action(async (scenario: string, options: RunOptions) => {
      const { runCommand } = await import('./commands/run.js');
      process.exitCode = await runCommand(scenario, options);
    });

  recorded(watched(linked(grouped(selvage.command('coordinate')))))
    .description('run a scenario in services that are started elsewhere and join')
    .argument('<scenario>', 'YAML or JSON file')
    .option('--listen <host:port>', 'where services find it (default: 0.0.0.0:7400)')
    .option('--threads <n>', 'each service in so many threads')
    .option('--checkpoint-every <s>', 'wall-clock seconds between checkpoints (default: 2)')
    .option('--out <dir>', 'run directory (default: runs/<name>-<digest>)')
    .option('--results <s3://…>', 'put the run directory there, too')
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
    .option('--check', 'check conservation of frames and credit, and every pause, during the run')
    .option('--json', 'print the summary as JSON and nothing else')
    .option('--quiet', 'no progress, no summary')
    .option(
      '--exit-zero',
      'exit 0 at the end of the run, whatever its verdict: for restart policies',
    )
    .addHelpText(
      'after',
      '\nSELVAGE_RUN names the run, SELVAGE_KEY is its secret: 32 hex digits;\n' +
        'or SELVAGE_KEY_FILE names a file with them.',
    )
    .action(async (scenario: string, options: CoordinateOptions) => {
      const { coordinateCommand } = await import('./commands/coordinate.js');
      process.exitCode = await coordinateCommand(scenario, options);
    });

  linked(selvage.command('service'))
    .description('be one service of a run that `selvage coordinate` drives')
    .option('--join <host:port>', 'where the coordinator listens (or SELVAGE_COORDINATOR)')
    .option('--number <n>', 'which service this is, from 0 (or SELVAGE_SERVICE)')
    .option('--threads <n>', 'it may have so many threads (default: as many as the run gives it)')
    .addHelpText('after', '\nSELVAGE_RUN and SELVAGE_KEY are those of the coordinator.')
    .action(async (options: ServiceOptions) => {
      const { serviceCommand } = await import('./commands/service.js');
      await serviceCommand(options);
    });

  addClusterCommands(selvage, { grouped, collect });

  selvage
    .command('healthy')
    .description('check that the coordinator or service of this container answers')
    .action(async () => {
      const { healthyCommand } = await import('./commands/healthy.js');
      process.exitCode = await healthyCommand();
    });

  selvage
    .command('duel')
    .description('run a scenario under several mechanisms and compare them in one table')
    .argument('<scenario>', 'YAML or JSON file')
    .option(
      '--mechanisms <list>',
      'none, pause, pfc or credit, with +dcqcn, +qcn, +timely, +hpcc, +swift, +sfc, +ci',
      'none,pause,pfc,credit,pfc+sfc,pfc+ci,pfc+dcqcn,pfc+qcn',
    )
    .option('--out <dir>', 'folder of all runs (default: runs/duel-<name>)')
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
    .option('--seed <n>', 'seed of all randomness')
    .option('--json', 'print the metrics as JSON and nothing else')
    .action(async (scenario: string, options: DuelOptions) => {
      const { duelCommand } = await import('./commands/duel.js');
      process.exitCode = await duelCommand(scenario, options);
    });

  distributed(selvage.command('resume'))
    .description('resume an interrupted run, or a paused one in progress')
    .argument('[run]', 'run directory, or a run in progress')
    .option('--out <dir>', 'run directory (default: the same)')
    .option('--check', 'check conservation of frames and credit, and every pause, during the run')
    .option('--json', 'print the summary as JSON and nothing else')
    .option('--quiet', 'no progress, no summary')
    .action(async (run: string | undefined, options: EmulateOptions) => {
      const { resumeCommand } = await import('./commands/resume.js');
      process.exitCode = await resumeCommand(run, options);
    });

  distributed(selvage.command('branch'))
    .description('run a scenario up to a time, change it, and go on')
    .argument('<run>', 'run directory to branch from')
    .requiredOption('--at <time>', 'when, such as 3ms')
    .option('--set <path=value>', 'what changes; may be repeated', collect, [])
    .option('--out <dir>', 'run directory (default: runs/<name>-<digest>)')
    .option('--check', 'check conservation of frames and credit, and every pause, during the run')
    .option('--json', 'print the summary as JSON and nothing else')
    .option('--quiet', 'no progress, no summary')
    .action(async (run: string, options: BranchOptions) => {
      const { branchCommand } = await import('./commands/branch.js');
      process.exitCode = await branchCommand(run, options);
    });

  selvage
    .command('why')
    .description('show congestion trees of a run, or where the time of a flow went')
    .argument('<run>', 'run directory')
    .option('--flow <flow>', 'number or name of a flow')
    .option('--all', 'every tree, however small')
    .option('--json', 'print it as JSON')
    .action(async (run: string, options: WhyOptions) => {
      const { whyCommand } = await import('./commands/why.js');
      process.exitCode = whyCommand(run, options);
    });

  selvage
    .command('trace')
    .description('write a run as a trace for Perfetto: frames, pauses, episodes, queues')
    .argument('<run>', 'run directory')
    .requiredOption('--perfetto <file>', 'where to')
    .option('--flow <name>', 'all frames of this flow, or pattern; may be repeated', collect, [])
    .option('--share <share>', 'of the frames (default: that of the scenario, else 1%)')
    .option('--sample <time>', 'between values of counters (default: a thousandth of the run)')
    .action(async (run: string, options: TraceOptions) => {
      const { traceCommand } = await import('./commands/trace.js');
      process.exitCode = traceCommand(run, options);
    });

  selvage
    .command('capture')
    .description('print the command that opens the capture of a run')
    .argument('<run>', 'run directory')
    .requiredOption('--wireshark', 'in Wireshark, with dissectors for what it does not know')
    .action(async (run: string) => {
      const { captureCommand } = await import('./commands/capture.js');
      process.exitCode = captureCommand(run);
    });

  selvage
    .command('query')
    .description('query the tables of a run in SQL: flows, series, events, …')
    .argument('<run>', 'run directory')
    .argument('<sql>', "such as 'select name, slowdown from flows order by slowdown desc limit 5'")
    .option('--json', 'print it as JSON')
    .action(async (run: string, sql: string, options: QueryOptions) => {
      const { queryCommand } = await import('./commands/query.js');
      process.exitCode = await queryCommand(run, sql, options);
    });

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

  selvage
    .command('inject')
    .description('inject a fault into a run in progress, or clear one')
    .argument('[run]', 'which, if there are several')
    .option('--fault <what>', 'a kind, or a fault as in a scenario: { kind: loss, … }')
    .option('--where <where>', 'a device, a port, or device=leaf1,peer=spine*')
    .option('--at <time>', 'virtual time (default: the earliest that is still possible)')
    .option('--for <time>', 'how long it lasts (default: to the end)')
    .option('--every <time>', 'it comes again after this time')
    .option('--name <name>', 'what it is called')
    .option('--set <key=value>', 'another key of it; may be repeated', collect, [])
    .option('--clear <name>', 'end a fault instead')
    .option('--list', 'list the faults of the run')
    .option('--json', 'print it as JSON')
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

  selvage
    .command('report')
    .description('write report.html of a run again')
    .argument('<run>', 'run directory')
    .option('--out <file>', 'write it to this file')
    .option('--why', 'with congestion trees; repeats a run that did not record episodes')
    .action(async (run: string, options: { readonly out?: string; readonly why?: boolean }) => {
      const { reportCommand } = await import('./commands/report.js');
      reportCommand(run, options);
    });

  selvage
    .command('compare')
    .description('put runs side by side on one page, with a table of their differences')
    .argument('<run...>', 'two run directories or more')
    .option('--out <file>', 'the page', 'compare.html')
    .option('--why', 'with congestion trees; repeats runs that did not record episodes')
    .action(async (runs: string[], options: { readonly out: string; readonly why?: boolean }) => {
      const { compareCommand } = await import('./commands/report.js');
      compareCommand(runs, options);
    });

  selvage
    .command('validate')
    .description('list all errors of scenarios, and warnings, without running them')
    .argument('<scenario...>', 'YAML or JSON files')
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
    .option('--strict', 'exit code 2 for warnings, too')
    .option('--json', 'print the verdicts as JSON')
    .action(async (scenarios: string[], options: ValidateOptions) => {
      const { validateCommand } = await import('./commands/validate.js');
      process.exitCode = validateCommand(scenarios, options);
    });

  inPods(selvage.command('hunt'))
    .description('vary a scenario and its faults until something fails; make that small')
    .argument('[scenario]', 'YAML or JSON file')
    .option('--worlds <n>', 'instead of a scenario: so many generated ones, in every runner')
    .option('--from <n>', 'with --worlds: number of the first', '0')
    .option('--runs <n>', 'how many variations', '100')
    .option('--seed <n>', 'seed of the variations, or of the worlds', '1')
    .option('--faults <n>', 'add at most so many faults to each; 0: vary the seed only', '3')
    .option('--threads <n>', 'in so many threads (default: one per processor)')
    .option('--shrink <n>', 'at most so many runs to make a failing scenario small', '200')
    .option('--out <dir>', 'where failing scenarios are written', 'hunted')
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
    .option('--json', 'print what was found as JSON')
    .option('--shard <i/n>', 'only part i of n, from 0, of the runs')
    .option('--exit-zero', 'exit with 0 where something failed, too')
    .option('--quiet', 'print nothing')
    .action(async (scenario: string | undefined, options: HuntCommandOptions) => {
      const { huntCommand } = await import('./commands/hunt.js');
      process.exitCode = await huntCommand(scenario, options);
    });

  selvage
    .command('inspect')
    .description('show the tables, credits, rates and buffers of hosts with an 82599')
    .argument('[device]', 'its name, such as h1, or a run directory (default: all of a run)')
    .option('--run <where>', 'run directory, or a scenario to run (default: the newest of runs/)')
    .option('--at <time>', 'not at its end but at a time, such as 3ms; runs it again')
    .option('--reg <name>', 'only RTTPT2C[3].CRQ or the like; may be repeated', collect, [])
    .option('--dump', 'all registers by address, as ethtool -d has them')
    .option('--json', 'print it as JSON')
    .action(async (device: string | undefined, options: InspectOptions) => {
      const { inspectCommand } = await import('./commands/inspect.js');
      process.exitCode = await inspectCommand(device, options);
    });

  inPods(selvage.command('sweep'))
    .description('run a scenario for every combination of values; one table')
    .argument('<scenario>', 'YAML or JSON file with a duration')
    .option(
      '--vary <path=a,b,c>',
      'values of one key, or mechanism=pfc,pfc+llr as of a duel; may be repeated',
      collect,
      [],
    )
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
    .option('--csv <file>', 'write the table as CSV, too')
    .option('--html <file>', 'write a page with heat maps, too')
    .option('--json', 'print it as JSON')
    .option('--shard <i/n>', 'only part i of n, from 0, of the combinations')
    .action(async (scenario: string, options: SweepOptions) => {
      const { sweepCommand } = await import('./commands/sweep.js');
      process.exitCode = await sweepCommand(scenario, options);
    });

  inPods(selvage.command('experiment'))
    .description('run one of the sweeps that come with Selvage; without a name, list them')
    .argument('[name]', 'such as credit-loss-sweep')
    .option('--out <dir>', 'where its table and its page go')
    .action(async (name: string | undefined, options: ExperimentOptions) => {
      const { experimentCommand } = await import('./commands/sweep.js');
      process.exitCode = await experimentCommand(name, options);
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
    .argument('<scenario>', 'YAML or JSON file')
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
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
    .argument('<scenario>', 'YAML or JSON file')
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
    .option('--port <port>', 'of this port only')
    .option('--json', 'print it as JSON')
    .action(async (scenario: string, options: SizeOptions) => {
      const { sizeCommand } = await import('./commands/size.js');
      sizeCommand(scenario, options);
    });

  selvage
    .command('managed')
    .description('managed objects of a run as instance data of the YANG modules in yang/')
    .argument('<scenario>', 'YAML or JSON file')
    .option('--set <path=value>', 'change a value of the scenario; may be repeated', collect, [])
    .option('--at <time>', 'as they are at this time (default: at the end)')
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

  selvage
    .command('init')
    .description('write a commented scenario to start from')
    .argument('[file]', 'where to', 'scenario.yaml')
    .option(
      '--template <name>',
      'leaf-spine, incast, fat-tree, credit, dcbx, chaos or 82599',
      'leaf-spine',
    )
    .action(async (file: string, options: InitOptions) => {
      const { initCommand } = await import('./commands/init.js');
      initCommand(file, options);
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
      const { completionFor } = await import('./completion.js');
      process.stdout.write(completionFor(selvage, shell));
    });

  selvage
    .command('explain')
    .description('explain a term, a metric or a key of a scenario')
    .argument('[topic...]', 'for example pfc, head-of-line blocking, or priorities.*.xoff')
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

  arrangeHelp(selvage);
  return selvage;
}
