import { statSync } from 'node:fs';

/** Whether a file was made after the last change of each of those that it is made of. */
export function isNewer(made, sources) {
  const madeAt = statSync(made, { throwIfNoEntry: false })?.mtimeMs ?? -1;
  return sources.every((source) => statSync(source).mtimeMs <= madeAt);
}
