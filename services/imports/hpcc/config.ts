import { show } from '../../settings/errors.js';
import { parameterOf, reasonOf } from './parameters.js';
import { type ImportNote, wholeNumber, type WordFile, type WordLine } from '../imported.js';

// config.txt: `KEY value…`. What is not about the network, or not known here, is named as ignored.

export interface HpccConfig {
  readonly mtu: number;
  readonly bufferMb: number | null;
  readonly congestion: string;
  /** Settings of the congestion control. */
  readonly controls: Readonly<Record<string, unknown>>;
  /** Settings of the transport beside its MTU. */
  readonly transport: Readonly<Record<string, unknown>>;
  readonly isLossless: boolean;
  /** Whether packets may come in any order. */
  readonly isSelective: boolean;
  /** How switches choose among equal routes; null: by flow, as where nothing says so. */
  readonly balance: string | null;
  /** By rate of a port in bit/s: where marking begins and is certain, in KB, and how likely. */
  readonly marking: ReadonlyMap<number, Marking>;
  readonly stopS: string | null;
  readonly down: { readonly atUs: string; readonly a: number; readonly b: number } | null;
  readonly notes: readonly ImportNote[];
}

interface Marking {
  readonly minKb: number;
  readonly maxKb: number;
  readonly probability: number;
}

/** What HPCC sends where nothing else is configured. */
const MTU = 1000;
/** By CC_MODE. */
const CONTROLS: Readonly<Record<string, string>> = { 1: 'dcqcn', 3: 'hpcc', 7: 'timely' };
/** By LB_MODE of ConWeave, of those that are known here. */
const BALANCES: Readonly<Record<string, string | null>> = { 0: null, 6: 'flowlet' };

export function isConfig({ lines }: WordFile): boolean {
  const named = lines.filter(({ words }) => /^[A-Z][A-Z0-9_]+$/.test(words[0]!));
  return named.length > 0 && named.length === lines.length;
}

/** Throws all errors of the file. */
export function readConfig(file: WordFile): HpccConfig {
  const byKey = new Map(file.lines.map((line) => [line.words[0]!, line]));
  const notes: ImportNote[] = [];
  const used = new Set<string>();
  const take = <Value>(key: string, read: (line: WordLine) => Value): Value | null => {
    const line = byKey.get(key);
    if (line === undefined) return null;
    used.add(key);
    return file.attempt(() => read(line));
  };
  const number = ({ line, words }: WordLine): number => {
    const value = Number(words[1]);
    if (words.length === 2 && Number.isFinite(value) && value >= 0) return value;
    throw file.errorAt(line, `${show(words.slice(1).join(' '))} is no value of ${words[0]!}`);
  };
  const maps = ['KMIN_MAP', 'KMAX_MAP', 'PMAX_MAP'].map(
    (key) => take(key, (line) => mapOf(file, line)) ?? new Map<number, number>(),
  );
  const mode = take('CC_MODE', ({ words }) => words[1] ?? '');
  if (mode !== null && !(mode in CONTROLS)) {
    const how = 'none is used; a plugin of the examples has DCTCP';
    notes.push({ fate: 'ignored', what: `CC_MODE ${mode}`, how });
  }
  const congestion = CONTROLS[mode ?? ''] ?? 'none';
  const [controls, transport]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  for (const key of byKey.keys()) {
    const parameter = parameterOf(key, congestion);
    if (parameter === null) continue;
    take(key, ({ line, words }) => {
      const value = words.length === 2 ? parameter.valueOf(words[1]!) : null;
      if (value === null) {
        throw file.errorAt(line, `${show(words.slice(1).join(' '))} is no value of ${key}`);
      }
      (parameter.control === null ? transport : controls)[parameter.name] = value;
    });
  }
  const flag = (key: string): boolean | null =>
    take(key, ({ line, words: [, word, ...more] }) => {
      if (more.length === 0 && (word === '0' || word === '1')) return word === '1';
      throw file.errorAt(line, `${key} is 0 or 1`);
    });
  const balance = byKey.get('LB_MODE')?.words[1] ?? '0';
  if (balance in BALANCES) used.add('LB_MODE');
  const config = {
    ...{ controls, transport },
    isLossless: flag('ENABLE_PFC') ?? true,
    isSelective: flag('ENABLE_IRN') ?? false,
    balance: BALANCES[balance] ?? null,
    mtu: take('PACKET_PAYLOAD_SIZE', number) ?? MTU,
    bufferMb: take('BUFFER_SIZE', number),
    congestion,
    marking: markingOf(maps),
    stopS: take('SIMULATOR_STOP_TIME', (line) => String(number(line))),
    down: take('LINK_DOWN', (line) => downOf(file, line)),
  };
  file.settle();
  for (const key of used) if (byKey.has(key)) notes.push({ fate: 'used', what: key, how: '' });
  for (const key of byKey.keys()) {
    if (!used.has(key)) notes.push({ fate: 'ignored', what: key, how: reasonOf(key) });
  }
  return { ...config, notes };
}

/** `n rate value rate value …`. */
function mapOf(file: WordFile, { line, words }: WordLine): Map<number, number> {
  const numbers = words.slice(1).map(Number);
  const [count = NaN, ...pairs] = numbers;
  if (pairs.length !== 2 * count || numbers.some((one) => !(one >= 0))) {
    throw file.errorAt(line, `${words[0]!} has a count, and a rate and a value so many times`);
  }
  return new Map(Array.from({ length: count }, (_, i) => [pairs[2 * i]!, pairs[2 * i + 1]!]));
}

/** Of rates that all three maps have. */
function markingOf([min, max, probability]: readonly Map<number, number>[]): Map<number, Marking> {
  const marking = new Map<number, Marking>();
  for (const [rate, minKb] of min!) {
    const [maxKb, likely] = [max!.get(rate), probability!.get(rate)];
    if (maxKb === undefined || likely === undefined) continue;
    marking.set(rate, { minKb, maxKb, probability: likely });
  }
  return marking;
}

/** `time_us a b`; a time of 0 is none. */
function downOf(file: WordFile, { line, words }: WordLine): HpccConfig['down'] {
  const [at = '', a = '', b = ''] = words.slice(1);
  const [atUs, from, to] = [Number(at), wholeNumber(a), wholeNumber(b)];
  if (!(atUs >= 0) || from === null || to === null) {
    throw file.errorAt(line, 'LINK_DOWN has a time in us and two nodes');
  }
  return atUs === 0 ? null : { atUs: at, a: from, b: to };
}
