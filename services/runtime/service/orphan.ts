/** How often a process checks whether its parent still exists. */
const POLL_MS = 500;

/** Calls back when the parent process has ended, if that is to be watched. */
export function watchParent(env: NodeJS.ProcessEnv, orphaned: () => void): void {
  const parent = Number(env['SELVAGE_PARENT']);
  if (!parent) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    orphaned();
  }, POLL_MS);
  timer.unref();
}
