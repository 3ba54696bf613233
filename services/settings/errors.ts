/** Errors in scenarios: one line, one place, one cause each. */

export interface Position {
  /** As the user named it; for a command-line setting, `--set path=value`; of an object ''. */
  readonly file: string;
  /** Counted from 1; 0 where there are no lines, as on the command line. */
  readonly line: number;
  readonly column: number;
}

export class ScenarioError extends Error {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Path in the file, as `['load', 0, 'bytes']`; empty for the file as a whole. */
  readonly path: readonly (string | number)[];
  /** What is wrong, without the place. */
  readonly problem: string;
  /** Further errors of the same scenario, as far as the same step finds them. */
  readonly others: ScenarioError[] = [];

  constructor(position: Position, path: readonly (string | number)[], message: string) {
    const { file, line, column } = position;
    const place = line > 0 ? `${file}:${line}:${column}` : file;
    super(place === '' ? atPath(path, message) : `${place}: ${message}`);
    this.name = 'ScenarioError';
    this.file = file;
    this.line = line;
    this.column = column;
    this.path = path;
    this.problem = message;
  }

  /** The same where `object` is no file but an object, which has no lines: it is at a path. */
  ofObject(object: string): ScenarioError {
    if (this.file !== object) return this;
    const error = new ScenarioError({ file: '', line: 0, column: 0 }, this.path, this.problem);
    error.others.push(...this.others.map((other) => other.ofObject(object)));
    return error;
  }
}

/** Some messages begin with the path themselves; of an unknown key with that of its mapping. */
function atPath(path: readonly (string | number)[], message: string): string {
  const [place, mapping] = [path.join('.'), path.slice(0, -1).join('.')];
  const begins = [`${place}: `, `${mapping}: `, 'unknown key: '];
  const isNamed = place === '' || begins.some((begin) => message.startsWith(begin));
  return isNamed ? message : `${place}: ${message}`;
}

const SHOWN_LENGTH = 60;

/** A value as an error message quotes it: on one line, truncated. */
export function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a mapping';
  const text = typeof value === 'number' ? value.toString() : asText(value);
  const plain = /^[\x20-\x7e\u00a1-\u024f\u0370-\u03ff]+$/.test(text) ? text : JSON.stringify(text);
  return plain.length > SHOWN_LENGTH ? `${plain.slice(0, SHOWN_LENGTH)}…` : plain;
}

function asText(value: unknown): string {
  const isInJson =
    typeof value !== 'string' && typeof value !== 'symbol' && typeof value !== 'bigint';
  return isInJson ? JSON.stringify(value) : String(value);
}

/** Lists what is allowed, up to about two lines. */
export function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const shown = names.slice(0, 30).map(show);
  return names.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
}

/** The number of letters to insert, delete or replace to turn one word into the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** The candidate that was probably meant, or null if none is near. The first of equals wins. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  if (name.length > SHOWN_LENGTH) return null;
  const wanted = name.toLowerCase();
  let best: string | null = null;
  let limit = Math.min(name.length - 1, Math.ceil(name.length / 3));
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance > limit || (best !== null && distance === limit)) continue;
    best = candidate;
    limit = distance;
  }
  return best;
}

/** The end of an error message: `; did you mean leaf3?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates);
  return nearest === null ? '' : `; did you mean ${nearest}?`;
}

/** The error about a name that does not exist. */
export function unknownName(what: string, name: string, names: readonly string[]): string {
  return `unknown ${what}: ${show(name)}; there is ${listed(names)}${didYouMean(name, names)}`;
}
