import { scenarioArgument } from './examples.js';
import type { Command } from 'commander';
import type { RenderOptions } from './commands/k8s.js';
import type { ClusterRunOptions } from './commands/k8s-run.js';
import type { FoundOptions, UiOptions } from './commands/k8s-found.js';
import type { ScaleOptions } from './commands/k8s-scale.js';
import type { InjectOptions } from './commands/inject.js';
import type { SteerAction, SteerOptions } from './commands/steer.js';
import { CONTEXT, grouped, injection, NAMESPACE, settings } from './shared-options.js';

const STEERING: readonly (readonly [SteerAction, string])[] = [
  ['pause', 'pause a run in the cluster'],
  ['resume', 'resume a paused run'],
  ['step', 'advance a paused run by one round, or by a length of virtual time'],
  ['checkpoint', 'write a checkpoint of a run now'],
  ['stop', 'end a run now and keep what was measured'],
];

/** `selvage k8s …`: runs in a Kubernetes cluster, from their creation to their deletion. */
export function addClusterCommands(selvage: Command): void {
  const k8s = selvage.command('k8s').description('runs in a Kubernetes cluster');
  addMaking(k8s);
  addFinding(k8s);
  addSteering(k8s);
  addFiles(selvage);
}

/** What pods execute before a run, and after it. */
function addFiles(selvage: Command): void {
  selvage
    .command('unpack')
    .description('put the files of a run together, whose pieces a pod has')
    .argument('<from>', 'folder of the pieces')
    .argument('<into>', 'an existing folder')
    .action(async (from: string, into: string) => {
      const { unpackCommand } = await import('./commands/unpack.js');
      unpackCommand(from, into);
    });

  selvage
    .command('download')
    .description('copy a run directory from S3-compatible storage')
    .argument('<place>', 's3://bucket/folder/run')
    .argument('<dir>', 'folder for its files')
    .option('--insecure', 'accept http:// off loopback')
    .action(async (place: string, folder: string, options: { insecure?: boolean }) => {
      const { downloadCommand } = await import('./commands/download.js');
      process.exitCode = await downloadCommand(place, folder, options);
    });
}

function addMaking(k8s: Command): void {
  const podded = (command: Command): Command =>
    grouped(command)
      .addArgument(scenarioArgument())
      .option('--threads <n>', 'each service in so many threads, a core each')
      .option('--run <name>', 'name of the run (default: that of the scenario)')
      .option('--image <image>', 'with a version (default: selvage:<this version>)')
      .option('--cluster', 'three brokers on three nodes, services spread over all')
      .option('--values <file>', 'what the cluster needs: nodes, volumes, resources, labels')
      .option('--results <s3://…>', 'results in S3-compatible storage instead of a volume')
      .option(
        '--cpu <amount>',
        'CPU request of a service (default: 1 a thread, or 100m for one device)',
      )
      .addOption(settings());
  podded(k8s.command('run'))
    .description('create a run, follow it, fetch its results and delete it')
    .option('--namespace <name>', `created and deleted unless it exists${NAMESPACE}`)
    .option('--context <name>', CONTEXT)
    .option('--out <dir>', 'folder for the run directory', 'runs')
    .option('--detach', 'return when every pod runs; `k8s attach` follows it from anywhere')
    .option('--start-within <s>', 'seconds until every pod must run (default: 300)')
    .option('--keep', 'leave everything in the cluster')
    .action(async (scenario: string, options: ClusterRunOptions) => {
      const { runInClusterCommand } = await import('./commands/k8s-run.js');
      process.exitCode = await runInClusterCommand(scenario, options);
    });
  podded(k8s.command('render'))
    .description('write manifests of a run, for `kubectl apply -k`')
    .requiredOption('--out <dir>', 'a folder that does not exist yet')
    .action(async (scenario: string, options: RenderOptions) => {
      const { renderCommand } = await import('./commands/k8s.js');
      renderCommand(scenario, options);
    });
  k8s
    .command('values')
    .description('print the JSON Schema of values files')
    .option('--chart', 'of the values of the Helm chart')
    .action(async (options: { chart?: boolean }) => {
      const { valuesCommand } = await import('./commands/k8s.js');
      valuesCommand(options);
    });
}

/** Which run, as every command but `list` needs it. */
function placed(command: Command): Command {
  return command
    .option('--namespace <name>', `namespace of the run${NAMESPACE}`)
    .option('--context <name>', CONTEXT)
    .option('--run <name>', 'its name, where the namespace has several');
}

function addFinding(k8s: Command): void {
  k8s
    .command('list')
    .description('list the runs of the cluster, or of one namespace')
    .option('--namespace <name>', 'only there (default: wherever you may look)')
    .option('--context <name>', CONTEXT)
    .option('--json', 'print it as JSON')
    .action(async (options: FoundOptions) => {
      const { listCommand } = await import('./commands/k8s-found.js');
      process.exitCode = await listCommand(options);
    });
  placed(k8s.command('attach'))
    .description('follow a run to its end; the exit code is that of the run')
    .action(async (options: FoundOptions) => {
      const { attachToClusterCommand } = await import('./commands/k8s-found.js');
      process.exitCode = await attachToClusterCommand(options);
    });
  placed(k8s.command('logs'))
    .description('print the logs of all pods of a run, in order of time')
    .option('--role <role>', 'only of coordinator, service or nats')
    .action(async (options: FoundOptions) => {
      const { logsCommand } = await import('./commands/k8s-found.js');
      process.exitCode = await logsCommand(options);
    });
  placed(k8s.command('fetch'))
    .description('fetch run directory, scenario, state and logs of a run, ended or not')
    .option('--out <dir>', 'folder for the run directory', 'runs')
    .action(async (options: FoundOptions) => {
      const { fetchCommand } = await import('./commands/k8s-found.js');
      process.exitCode = await fetchCommand(options);
    });
  placed(k8s.command('delete'))
    .description('delete a run with its volumes, and its namespace if that was made for it')
    .action(async (options: FoundOptions) => {
      const { deleteCommand } = await import('./commands/k8s-found.js');
      process.exitCode = await deleteCommand(options);
    });
}

function addSteering(k8s: Command): void {
  placed(k8s.command('status'))
    .description('print the state of a run in progress')
    .option('--json', 'print it as JSON')
    .action(async (options: FoundOptions) => {
      const { statusInClusterCommand } = await import('./commands/k8s-found.js');
      process.exitCode = await statusInClusterCommand(options);
    });
  for (const [action, what] of STEERING) {
    const command = placed(k8s.command(action))
      .description(what)
      .option('--json', 'print the answer as JSON');
    if (action === 'step') command.option('--for <time>', 'so long, as 10us');
    command.action(async (options: FoundOptions & SteerOptions) => {
      const { steerInClusterCommand } = await import('./commands/k8s-found.js');
      process.exitCode = await steerInClusterCommand(action, options);
    });
  }
  placed(k8s.command('scale'))
    .description('continue a run with another number of services, from a checkpoint')
    .requiredOption('--services <n>', 'so many services of about equal work')
    .option('--threads <n>', 'each service in so many threads, a core each')
    .option('--values <file>', 'what the cluster needs: nodes, volumes, resources, labels')
    .option('--cpu <amount>', 'CPU request of a service')
    .option('--start-within <s>', 'seconds until every pod must run (default: 300)')
    .action(async (options: ScaleOptions) => {
      const { scaleCommand } = await import('./commands/k8s-scale.js');
      process.exitCode = await scaleCommand(options);
    });
  injection(placed(k8s.command('inject')))
    .description('inject a fault into a run, clear one, or list them')
    .action(async (options: FoundOptions & InjectOptions) => {
      const { injectInClusterCommand } = await import('./commands/k8s-found.js');
      process.exitCode = await injectInClusterCommand(options);
    });
  placed(k8s.command('ui'))
    .description('serve the live page of a run here, through the API server')
    .option('--port <port>', 'port of this machine (default: any free port)')
    .action(async (options: UiOptions) => {
      const { uiCommand } = await import('./commands/k8s-found.js');
      process.exitCode = await uiCommand(options);
    });
}
