import { show } from '../../settings/errors.js';
import { scaledDecimal, wholeNumber, type WordFile, type WordLine } from '../imported.js';
import type { HpccTopology } from './topology.js';

// flow.txt: their number, then `src dst pg dport bytes start_s` (HPCC, SimAI) or without the port
// (ConWeave).

const PS_DIGITS = 12;
const [WITH_PORT, WITHOUT_PORT] = [6, 5];

export interface HpccFlow {
  readonly source: string;
  readonly destination: string;
  readonly priority: number;
  readonly bytes: number;
  readonly startPs: number;
}

export function isFlows({ lines }: WordFile): boolean {
  const [head, first] = lines;
  if (head?.words.length !== 1 || wholeNumber(head.words[0]!) === null) return false;
  return first === undefined || [WITH_PORT, WITHOUT_PORT].includes(first.words.length);
}

/** Throws all errors of the file. */
export function readFlows(file: WordFile, topology: HpccTopology): HpccFlow[] {
  const [head, ...rest] = file.lines;
  const count = wholeNumber(head!.words[0]!)!;
  const written = file.counted(rest, count, 'flows');
  const flows = written.flatMap((line) => file.attempt(() => flowOf(file, line, topology)) ?? []);
  file.settle();
  return flows;
}

function flowOf(file: WordFile, { line, words }: WordLine, topology: HpccTopology): HpccFlow {
  if (words.length !== WITH_PORT && words.length !== WITHOUT_PORT) {
    throw file.errorAt(line, `${words.length} words; a flow has src dst pg [dport] bytes start`);
  }
  const [source, destination] = words.slice(0, 2).map((word) => hostOf(file, line, word, topology));
  if (source === destination) throw file.errorAt(line, `${source!} would send to itself`);
  const priority = wholeNumber(words[2]!);
  if (priority === null || priority > 7) {
    throw file.errorAt(line, `${show(words[2])} is no priority group (0 to 7)`);
  }
  const [written, start] = words.slice(-2);
  const bytes = wholeNumber(written!);
  if (bytes === null || bytes < 1) throw file.errorAt(line, `${show(written)} is no size`);
  const startPs = scaledDecimal(start!, PS_DIGITS);
  if (startPs === null) {
    throw file.errorAt(line, `${show(start)} is no time in seconds, of whole picoseconds`);
  }
  return { source: source!, destination: destination!, priority, bytes, startPs };
}

function hostOf(file: WordFile, line: number, word: string, topology: HpccTopology): string {
  const id = wholeNumber(word);
  const name = id === null ? undefined : topology.names[id];
  if (name === undefined) throw file.errorAt(line, `there is no node ${show(word)}`);
  if (topology.isSwitch[id!]) throw file.errorAt(line, `node ${word} is a switch, and no host`);
  return name;
}
