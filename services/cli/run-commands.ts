import { type Command, Option } from 'commander';
import type { BranchOptions } from './commands/branch.js';
import type { DuelOptions } from './commands/duel.js';
import type { HuntCommandOptions } from './commands/hunt.js';
import type { CoordinateOptions } from './commands/coordinate.js';
import type { RunOptions } from './commands/run.js';
import type { LiveOptions } from './commands/live.js';
import type { ReplayOptions } from './commands/replay.js';
import type { ServiceOptions } from './commands/service.js';
import type { EmulateOptions } from './emulation.js';
import type { ExperimentOptions, SweepOptions } from './commands/sweep.js';
import { scenarioArgument } from './examples.js';
import { collect, CONTEXT, grouped, NAMESPACE, settings } from './shared-options.js';

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

/** Options of commands with many runs, which may be pods of a cluster. */
function inPods(command: Command): Command {
  return command
    .option('--k8s', 'in pods of the cluster of kubectl, instead of here')
    .option('--namespace <name>', `with --k8s: created and deleted unless it exists${NAMESPACE}`)
    .option('--context <name>', `with --k8s: ${CONTEXT}`)
    .option('--image <image>', 'with --k8s: with a version (default: selvage:<this version>)')
    .option('--values <file>', 'with --k8s: what the cluster needs: nodes, resources, labels')
    .option('--pods <n>', 'with --k8s: so many pods at once (default: by the time they take)')
    .option('--keep', 'with --k8s: leave everything in the cluster');
}

/** Where the estimate of memory, rows or time is beyond its limit. */
function force(): Option {
  return new Option(
    '--force',
    'run it although it is refused: estimated to be too large, or to tell nothing',
  );
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
    .option(
      '--otlp-epoch <when>',
      'spans that end now: now (default); that begin at 2000-01-01: fixed',
    )
    .option('--otlp-scale <n>', 'show times n times as long (default: 1000, a ns as a microsecond)')
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

/** Of what runs in one process from its beginning; `--check=deep` is the same. */
function deepCheck(): Option {
  return new Option(
    '--check-deep',
    '--check=deep: also recompute from the wires what the clauses of standards say (slow)',
  );
}

function check(): Option {
  return new Option(
    '--check',
    'check conservation of frames and credit, and every pause, during the run',
  );
}

/** Commands that run a scenario, once or many times. */
export function addRunCommands(selvage: Command): void {
  recorded(watched(distributed(selvage.command('run'))))
    .description('run a scenario and write its run directory')
    .addArgument(scenarioArgument())
    .option('--out <dir>', 'run directory (default: runs/<name>-<digest>)')
    .addOption(settings())
    .addOption(check())
    .addOption(force())
    .addOption(deepCheck())
    .option(
      '--skip <how>',
      'skip what repeats, with the same results: exact, or off (default: exact, where it can)',
    )
    .option('--check-rows', 'also see that devices change no state of each other (slow)')
    .option('--open', 'open its report in a browser')
    .option('--json', 'print the summary as JSON and nothing else')
    .option('--quiet', 'no progress, no summary')
    .option('--control', 'accept status, attach, pause, inject, … in one process, too')
    .action(async (scenario: string, options: RunOptions) => {
      const { runCommand } = await import('./commands/run.js');
      process.exitCode = await runCommand(scenario, options);
    });

  addLiveCommands(selvage);

  recorded(watched(linked(grouped(selvage.command('coordinate')))))
    .description('run a scenario in services that are started elsewhere and join')
    .addArgument(scenarioArgument())
    .option('--listen <host:port>', 'where services find it (default: 0.0.0.0:7400)')
    .option('--threads <n>', 'each service in so many threads')
    .option('--checkpoint-every <s>', 'wall-clock seconds between checkpoints (default: 2)')
    .option('--out <dir>', 'run directory (default: runs/<name>-<digest>)')
    .option('--results <s3://…>', 'put the run directory there, too')
    .addOption(settings())
    .addOption(check())
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

  selvage
    .command('healthy')
    .description('check that the coordinator or service of this container answers')
    .action(async () => {
      const { healthyCommand } = await import('./commands/healthy.js');
      process.exitCode = await healthyCommand();
    });

  distributed(selvage.command('resume'))
    .description('resume an interrupted run, or a paused one in progress')
    .argument('[run]', 'run directory, or a run in progress')
    .option('--out <dir>', 'run directory (default: the same)')
    .addOption(check())
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
    .addOption(check())
    .option('--json', 'print the summary as JSON and nothing else')
    .option('--quiet', 'no progress, no summary')
    .action(async (run: string, options: BranchOptions) => {
      const { branchCommand } = await import('./commands/branch.js');
      process.exitCode = await branchCommand(run, options);
    });
}

/** Runs with real hosts, and what they recorded. */
function addLiveCommands(selvage: Command): void {
  recorded(watched(selvage.command('live')))
    .description('run a scenario whose live hosts are real, as fast as the wall clock')
    .addArgument(scenarioArgument(' with live hosts, demo'))
    .option(
      '--attach <host=netns:name>',
      'attach a network namespace; may be repeated',
      collect,
      [],
    )
    .option('--for <time>', 'end after so long, of virtual time (default: duration, or 3600s)')
    .option('--out <dir>', 'run directory (default: runs/<name>-<digest>)')
    .addOption(settings())
    .addOption(check())
    .option('--control', 'accept status, inject and stop of other commands')
    .option('--json', 'print the summary as JSON and nothing else')
    .option('--quiet', 'no progress, no summary')
    .action(async (scenario: string, options: LiveOptions) => {
      if (scenario === 'demo') {
        const { liveDemo } = await import('./commands/live-demo.js');
        process.exitCode = await liveDemo(options);
        return;
      }
      const { liveCommand } = await import('./commands/live.js');
      process.exitCode = await liveCommand(scenario, options);
    });

  distributed(selvage.command('replay'))
    .description('run what came in during a live run again, without real hosts')
    .argument('<run>', 'run directory of a live run')
    .option('--fault <what>', 'a fault that was not there: a kind, or { kind: loss, … }')
    .option('--where <where>', 'its device, port, or device=leaf1,peer=spine*')
    .option('--at <time>', 'its virtual time')
    .option('--for <time>', 'how long it lasts')
    .option('--out <dir>', 'run directory (default: that of the live run, with -replay)')
    .addOption(settings())
    .addOption(check())
    .option('--open', 'open its report in a browser')
    .option('--json', 'print the summary as JSON and nothing else')
    .option('--quiet', 'no progress, no summary')
    .action(async (run: string, options: ReplayOptions) => {
      const { replayCommand } = await import('./commands/replay.js');
      process.exitCode = await replayCommand(run, options);
    });
}

/** Commands with many runs. */
export function addSeriesCommands(selvage: Command, mechanisms: string): void {
  selvage
    .command('duel')
    .description('run a scenario under several mechanisms and compare them in one table')
    .addArgument(scenarioArgument())
    .option(
      '--mechanisms <list>',
      mechanisms,
      'none,pause,pfc,credit,pfc+sfc,pfc+ci,pfc+dcqcn,pfc+qcn',
    )
    .option('--out <dir>', 'folder of all runs (default: runs/duel-<name>)')
    .addOption(settings())
    .option('--seed <n>', 'seed of all randomness')
    .option('--seeds <n>', 'so many seeds in turn: medians, and what may be chance')
    .option('--open', 'open their page in a browser')
    .addOption(force())
    .option('--json', 'print the metrics as JSON and nothing else')
    .action(async (scenario: string, options: DuelOptions) => {
      const { duelCommand } = await import('./commands/duel.js');
      process.exitCode = await duelCommand(scenario, options);
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
    .addOption(deepCheck())
    .addOption(settings())
    .option('--json', 'print what was found as JSON')
    .option('--shard <i/n>', 'only part i of n, from 0, of the runs')
    .option('--exit-zero', 'exit with 0 where something failed, too')
    .option('--quiet', 'print nothing')
    .action(async (scenario: string | undefined, options: HuntCommandOptions) => {
      const { huntCommand } = await import('./commands/hunt.js');
      process.exitCode = await huntCommand(scenario, options);
    });

  inPods(selvage.command('sweep'))
    .description('run a scenario for every combination of values; one table')
    .addArgument(scenarioArgument(' with a duration'))
    .option(
      '--vary <path=a,b,c>',
      'values of one key, or mechanism=pfc,pfc+llr as of a duel; may be repeated',
      collect,
      [],
    )
    .addOption(settings())
    .option('--seeds <n>', 'so many seeds at each point: medians, and what may be chance')
    .option('--csv <file>', 'write the table as CSV, too, with a line per run')
    .option('--html <file>', 'write a page with heat maps, too')
    .addOption(force())
    .option('--json', 'print it as JSON')
    .option('--shard <i/n>', 'only part i of n, from 0, of the combinations')
    .option('--exit-zero', 'exit with 0 where points failed, too')
    .action(async (scenario: string, options: SweepOptions) => {
      const { sweepCommand } = await import('./commands/sweep.js');
      process.exitCode = await sweepCommand(scenario, options);
    });

  inPods(selvage.command('experiment'))
    .description('run one of the sweeps that come with Selvage; without a name, list them')
    .argument('[name]', 'such as credit-loss-sweep')
    .option('--only <path=a,b>', 'run these values of it alone; may be repeated', collect, [])
    .option('--out <dir>', 'where its table and its page go')
    .option('--json', 'print it as JSON')
    .option('--shard <i/n>', 'only part i of n, from 0, of the combinations')
    .option('--exit-zero', 'exit with 0 where points failed, too')
    .action(async (name: string | undefined, options: ExperimentOptions) => {
      const { experimentCommand } = await import('./commands/sweep.js');
      process.exitCode = await experimentCommand(name, options);
    });
}
