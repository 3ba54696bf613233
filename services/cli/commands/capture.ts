import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packageFile } from '../../runtime/package-files.js';
import { EXIT, InputError } from '../exit.js';
import { storedRun } from './resume.js';
import { CAPTURE } from '../../report/run-directory.js';

const DISSECTORS = packageFile('clients/wireshark/selvage.lua');

/** Prints the command that opens the capture of a run in Wireshark, with dissectors. */
export function captureCommand(run: string): number {
  const { scenario } = storedRun(run);
  const file = join(run, CAPTURE);
  if (!existsSync(file)) {
    throw new InputError(
      `${run} has no ${CAPTURE}: selvage run ${relative('', scenario)} --capture '*' makes one`,
    );
  }
  const words = ['wireshark', '-X', `lua_script:${DISSECTORS}`, file];
  process.stdout.write(`${words.map(quoted).join(' ')}\n`);
  return EXIT.COMPLETE;
}

/** As a shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
