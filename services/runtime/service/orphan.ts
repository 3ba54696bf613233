/** How often a process looks whether the one that started it is still there. */
const LOOK_MS = 500;

/** Calls back when the process that started this one is gone, if that is to be watched. */
export function watchParent(env: NodeJS.ProcessEnv, orphaned: () => void): void {
  const parent = Number(env['SELVAGE_PARENT']);
  if (!parent) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    orphaned();
  }, LOOK_MS);
  timer.unref();
}
