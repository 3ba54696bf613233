import type { Command } from 'commander';
import type { CheckOptions, ImportOptions, ProbeOptions } from './commands/sonic.js';
import type { ShowOptions } from './commands/sonic-show.js';

/** Options of what reads the files of a switch. */
function reading(command: Command): Command {
  return command
    .option('--pg-profiles <ini>', 'profiles by speed and cable (pg_profile_lookup.ini)')
    .option('--asic <asic>', 'chip of the switch: th5, spc3, or numbers as in buffer.asic');
}

/** `selvage sonic …`: switches as SONiC configures them. */
export function addSonicCommands(selvage: Command): void {
  const sonic = selvage.command('sonic').description('switches as SONiC configures them');
  const files = [
    '<file...>',
    'config_db.json, or dumps of the database, of one switch each',
  ] as const;

  reading(sonic.command('import').description('make a scenario of switches'))
    .argument(...files)
    .option('-o, --out <file>', 'write it to a file')
    .action(async (names: string[], options: ImportOptions) => {
      const { sonicImport } = await import('./commands/sonic.js');
      sonicImport(names, options);
    });

  reading(sonic.command('check').description('say whether each port and group is lossless'))
    .argument(...files)
    .option('--losing <file>', 'where it is not lossless: write a load that loses a frame')
    .option('--json', 'print the verdicts as JSON')
    .action(async (names: string[], options: CheckOptions) => {
      const { sonicCheck } = await import('./commands/sonic.js');
      process.exitCode = sonicCheck(names, options);
    });

  reading(
    sonic
      .command('probe')
      .description('count the frames to PFC, to a drop and to XON, as a lab does'),
  )
    .argument('<file>', 'config_db.json, or a dump of the database')
    .option('--port <port>', 'of this port only (default: one of each kind)')
    .option('--pg <group>', 'of this group only')
    .option('--expect <csv>', 'compare with port,pg,pfc,drop,xon,lossy_egress,margin of a lab')
    .option('--json', 'print it as JSON')
    .action(async (name: string, options: ProbeOptions) => {
      const { sonicProbe } = await import('./commands/sonic.js');
      process.exitCode = sonicProbe(name, options);
    });

  sonic
    .command('show')
    .description("print counters of a run as SONiC's own commands do")
    .argument('<words...>', "SONiC's words, such as pfc counters, and a run directory")
    .option('--switch <name>', 'of this switch only')
    .option('--json', 'print the tables as JSON')
    .action(async (words: string[], options: ShowOptions) => {
      const { sonicShow } = await import('./commands/sonic-show.js');
      sonicShow(words, options);
    });
}
