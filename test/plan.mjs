// Which test files share a process, and which process starts first.

import { TOGETHER, WAITING } from './tiers.mjs';

/** Of the files of one process, where they share one: its start and the engine's import cost little. */
const SECONDS_TOGETHER = 30;
/** Of a file that was never measured, or takes less than a second. */
const FEW_SECONDS = 0.5;

/** Lists of files for one process each, the longest first: those that compute, and those that wait. */
export function planProcesses(paths, times) {
  const waiting = paths.filter((path) => startsWithOne(WAITING, path));
  const computing = paths.filter((path) => !waiting.includes(path));
  const secondsOf = (path) => times[path.replace(/\.test\.js$/, '')] ?? FEW_SECONDS;
  return { computing: inLists(computing, secondsOf), waiting: inLists(waiting, secondsOf) };
}

function inLists(paths, secondsOf) {
  const longestFirst = [...paths].sort((a, b) => secondsOf(b) - secondsOf(a));
  const isShared = (path) => startsWithOne(TOGETHER, path);
  const alone = longestFirst.filter((path) => !isShared(path));
  const lists = [
    ...alone.map((path) => ({ files: [path], seconds: secondsOf(path) })),
    ...shareOut(longestFirst.filter(isShared), secondsOf),
  ];
  return lists.sort((a, b) => b.seconds - a.seconds).map(({ files }) => files);
}

/** Each file goes to the list that takes least so far. */
function shareOut(longestFirst, secondsOf) {
  const seconds = longestFirst.reduce((sum, path) => sum + secondsOf(path), 0);
  // One file may take longer than a process should: no process is without a file.
  const count = Math.min(Math.ceil(seconds / SECONDS_TOGETHER), longestFirst.length);
  const lists = Array.from({ length: count }, () => ({ files: [], seconds: 0 }));
  for (const path of longestFirst) {
    const least = lists.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    least.files.push(path);
    least.seconds += secondsOf(path);
  }
  return lists;
}

function startsWithOne(starts, path) {
  return starts.some((start) => path.startsWith(start));
}
