import type { Command } from 'commander';
import type { ServeOptions } from './commands/otg.js';

/** `selvage otg …`: scripts of the Open Traffic Generator, such as those of snappi. */
export function addOtgCommands(selvage: Command): void {
  selvage
    .command('otg')
    .description('run scripts of the Open Traffic Generator on an emulated switch')
    .command('serve')
    .description('answer the calls of snappi, in virtual time')
    .argument('<file...>', 'a scenario, or the files of a switch as sonic import takes them')
    .option('--pg-profiles <ini>', 'profiles by speed and cable (pg_profile_lookup.ini)')
    .option('--asic <asic>', 'chip of the switch: th5, spc3, or numbers as in buffer.asic')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0: any that is free', '8443')
    .action(async (files: string[], options: ServeOptions) => {
      const { otgServe } = await import('./commands/otg.js');
      await otgServe(files, options);
    });
}
