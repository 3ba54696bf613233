import { show } from '../../settings/errors.js';
import { wholeNumber, type WordFile, type WordLine } from '../imported.js';

// topology.txt of HPCC 9f4be2a and ConWeave 236a801: `nodes switches links`, the ids of the
// switches, then a line for each link: `a b 100Gbps 1000ns 0.0`, the last a loss rate per packet.

interface HpccLink {
  readonly line: number;
  readonly ends: readonly [a: string, b: string];
  /** As scenarios have them. */
  readonly rate: string;
  readonly delay: string;
  /** Of packets; 0: none is lost. */
  readonly loss: number;
}

export interface HpccTopology {
  /** By node: its name, hN or sN. */
  readonly names: readonly string[];
  readonly isSwitch: readonly boolean[];
  readonly links: readonly HpccLink[];
}

const NODES_MOST = 1 << 20;

export function isTopology({ lines }: WordFile): boolean {
  if (lines[0]?.words.length !== 3) return false;
  return lines.some(({ words }) => words.length === 5 && /^[\d.]+[GM]bps$/.test(words[2]!));
}

/** Throws all errors of the file. */
export function readTopology(file: WordFile): HpccTopology {
  const [head, ...rest] = file.lines;
  const [nodes, switches, count] = head!.words.map(wholeNumber);
  const isHead = [nodes, switches, count].every((one) => one !== null) && head!.words.length === 3;
  if (!isHead || nodes! < 1 || nodes! > NODES_MOST || switches! > nodes!) {
    throw file.errorAt(head!.line, `${show(head!.words.join(' '))}: nodes, switches and links`);
  }
  const isSwitch = Array<boolean>(nodes!).fill(false);
  let at = 0;
  for (let left = switches!; left > 0; at++) {
    const own = rest[at];
    if (own === undefined) throw file.errorAt(head!.line, `${left} ids of switches are missing`);
    for (const word of own.words) {
      const id = wholeNumber(word);
      if (id === null || id >= nodes! || isSwitch[id]) {
        throw file.errorAt(own.line, `${show(word)} is no id of a switch, or there twice`);
      }
      isSwitch[id] = true;
      left--;
    }
  }
  const names = isSwitch.map((own, id) => `${own ? 's' : 'h'}${id}`);
  const written = file.counted(rest.slice(at), count!, 'links');
  const links = written.flatMap((line) => file.attempt(() => linkOf(file, line, names)) ?? []);
  file.settle();
  return { names, isSwitch, links };
}

function linkOf(file: WordFile, { line, words }: WordLine, names: readonly string[]): HpccLink {
  if (words.length !== 5) {
    throw file.errorAt(line, `${words.length} words; a link has a b 100Gbps 1000ns 0.0`);
  }
  const [a, b] = words.slice(0, 2).map((word) => {
    const id = wholeNumber(word);
    const name = id === null ? undefined : names[id];
    if (name !== undefined) return name;
    throw file.errorAt(line, `there is no node ${show(word)}: they are 0 to ${names.length - 1}`);
  });
  if (a === b) throw file.errorAt(line, `${a!} is linked to itself`);
  const rate = /^(\d+(?:\.\d+)?)(G|M)bps$/.exec(words[2]!);
  if (rate === null) throw file.errorAt(line, `${show(words[2])} is no rate; one is 100Gbps`);
  const delay = /^(\d+(?:\.\d+)?)(ns|us|ms)$/.exec(words[3]!);
  if (delay === null) throw file.errorAt(line, `${show(words[3])} is no delay; one is 1000ns`);
  const loss = Number(words[4]);
  if (!(loss >= 0 && loss <= 1)) throw file.errorAt(line, `${show(words[4])} is no loss rate`);
  return { line, ends: [a!, b!], rate: `${rate[1]!}${rate[2]!}`, delay: delay[0], loss };
}
