/** Opens a page in the browser of whoever sits at the terminal. */

import { spawn } from 'node:child_process';

/** The program of the desktop, unless `BROWSER` names another. */
function openerOf(file: string): readonly [string, ...string[]] {
  const { BROWSER } = process.env;
  if (BROWSER !== undefined && BROWSER !== '') return [BROWSER, file];
  if (process.platform === 'darwin') return ['open', file];
  return process.platform === 'win32' ? ['cmd', '/c', 'start', '', file] : ['xdg-open', file];
}

/** Says so where there is no browser; the page is where it is. */
export function openPage(file: string): void {
  const [program, ...words] = openerOf(file);
  const child = spawn(program, words, { stdio: 'ignore', detached: true });
  child.on('error', ({ message }) => {
    process.stderr.write(`no browser was started (${message}); open ${file}\n`);
  });
  child.unref();
}
