/** A run directory cannot be written or read; the message has the reason. */
export class RunDirectoryError extends Error {}

type Kind = 'string' | 'number' | 'list' | 'mapping';

/** No run writes more than that to one JSON file. */
const OCTETS_MOST = 512 * 1024 * 1024;

/** Parses a JSON file of a run, and checks that it has the keys of such a file. */
export function runJson(file: string, text: string, keys: Readonly<Record<string, Kind>>): object {
  if (text.length > OCTETS_MOST) throw damaged(file, `more than ${OCTETS_MOST} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(file, (error as Error).message);
  }
  if (typeof value !== 'object' || value === null) throw damaged(file, 'no mapping');
  for (const [key, kind] of Object.entries(keys)) {
    const actual = kindOf((value as Record<string, unknown>)[key]);
    if (actual !== kind) throw damaged(file, `${key} is no ${kind}`);
  }
  return value;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' && value !== null ? 'mapping' : typeof value;
}

function damaged(file: string, why: string): RunDirectoryError {
  return new RunDirectoryError(`${file} is damaged: ${why}`);
}
