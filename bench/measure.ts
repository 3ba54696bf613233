import { spawnSync } from 'node:child_process';

/** Processor time of this process so far, all threads, in seconds. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Largest memory this process has had, in MB. */
export function peakMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Runs a case in a process of its own, so that no case warms or spoils another. */
export function inProcess(script: string, words: readonly string[]): Record<string, number> {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, number>;
}
