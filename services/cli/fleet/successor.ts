import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Waits for the end of its input, which the system closes however the launcher ends; then for
 * services to notice that they are orphans. What the launcher had is passed by place: a folder, in
 * which its broker has written the number of its process. The number may be another's by then, so
 * it has to be a process with that folder in its arguments.
 */
const SCRIPT = `
read -r _
sleep 2
pid=$(cat "$1/broker.pid" 2>/dev/null)
if test -n "$pid"; then
  words=$(tr '\\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null || ps -o args= -p "$pid" 2>/dev/null)
  case "$words" in *"$1"*) kill "$pid" ;; esac
fi
rm -rf "$1"
`;

/** Ends the broker of a launcher that was killed, and removes its folder. */
export interface Successor {
  /** The launcher does that itself. */
  dismiss(): void;
}

export function appointSuccessor(folder: string): Successor {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'selvage-successor', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C is for the launcher.
    detached: true,
  });
  // Without a shell everything is as before; and it keeps nobody from ending.
  shell.once('error', () => undefined);
  shell.unref();
  (shell.stdin as Socket).unref();
  return { dismiss: () => void shell.kill() };
}
