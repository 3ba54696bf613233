import type { Command } from 'commander';
import type { ExportOptions } from './commands/export.js';
import type { InspectOptions } from './commands/inspect.js';
import type { CompareOptions, ReportOptions } from './commands/report.js';
import type { QueryOptions } from './commands/query.js';
import type { TraceOptions } from './commands/trace.js';
import type { WhyOptions } from './commands/why.js';
import { collect } from './shared-options.js';

/** Commands that read the directory of a run. */
export function addResultCommands(selvage: Command): void {
  selvage
    .command('why')
    .description('show congestion trees of a run, or where the time of a flow went')
    .argument('<run>', 'run directory')
    .option('--flow <flow>', 'number or name of a flow')
    .option('--job <name>', 'the critical path of a job, and its stragglers')
    .option('--step <number>', 'only of this collective of the job, as operations.csv counts them')
    .option('--all', 'every tree, or part of a path, however small')
    .option('--json', 'print it as JSON')
    .option('--skipping', 'what was skipped, and what kept a state from coming back')
    .option('--try', 'run it again without its worst causes, and under each other mechanism')
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
    .option('--most <bytes>', 'refuse to write a larger file (default: 200MB)')
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
    .command('export')
    .description('write completion times and pauses as the files that HPCC and ConWeave plot')
    .argument('<run>', 'run directory')
    .option('--out <folder>', 'where to (default: the run directory)')
    .option('--dialect <name>', 'hpcc or conweave: how they name hosts', 'hpcc')
    .action(async (run: string, options: ExportOptions) => {
      const { exportCommand } = await import('./commands/export.js');
      exportCommand(run, options);
    });

  selvage
    .command('report')
    .description('write report.html of a run again')
    .argument('<run>', 'run directory')
    .option('--out <file>', 'write it to this file')
    .option('--why', 'with congestion trees; repeats a run that did not record episodes')
    .option('--open', 'open it in a browser')
    .action(async (run: string, options: ReportOptions) => {
      const { reportCommand } = await import('./commands/report.js');
      reportCommand(run, options);
    });

  selvage
    .command('compare')
    .description(
      'say which of several runs comes first, in one table, and put them side by side on a page',
    )
    .argument('<run...>', 'two run directories or more')
    .option('--out <file>', 'the page', 'compare.html')
    .option('--why', 'with congestion trees; repeats runs that did not record episodes')
    .option('--open', 'open the page in a browser')
    .option('--json', 'print the comparison as JSON and nothing else')
    .action(async (runs: string[], options: CompareOptions) => {
      const { compareCommand } = await import('./commands/report.js');
      compareCommand(runs, options);
    });

  selvage
    .command('inspect')
    .description('show the registers, rates and buffers of hosts with an 82599')
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
}
