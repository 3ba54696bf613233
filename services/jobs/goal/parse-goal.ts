import { ANY, COMPUTE, RECEIVE, SEND } from '../../engine/contract/operations.js';
import { didYouMean, show } from '../../settings/errors.js';
import { GraphBuilder, type JobGraph, type RankBuilder } from '../graph.js';
import type { JobSource } from '../source.js';

// GOAL, the Group Operation Assembly Language of LogGOPSim and ATLAHS (its grammar is that of
// LogGOPSim 76451de, txt2bin.re):
//   num_ranks N
//   rank R { [label:] calc T [cpu C]
//            [label:] send B b to P [tag T] [cpu C] [nic N]
//            [label:] recv B b from P|-1 [tag T|-1] [cpu C] [nic N]
//            label requires|irequires label }

const PS_PER_NS = 1000;
const LABEL = /^[a-zA-Z][a-zA-Z0-9_]*$/;
const STATEMENT =
  /^(?:([^\s:]+)\s*:\s*)?(?:calc\s+(\d+)|(send|recv)\s+(\d+)\s*b\s+(to|from)\s+(-1|\d+))(.*)$/;
const EDGE = /^(\S+)\s+(i?requires)\s+(\S+)$/;
/** In this order only. */
const OPTIONS = /^(?:\s+tag\s+(-1|\d+))?(?:\s+cpu\s+(\d+))?(?:\s+nic\s+(\d+))?\s*$/;

const TAG_MOST = 2 ** 32 - 1;
const INDEX_MOST = 255;

/** The graph of a GOAL file; throws its errors, all at once. */
export function parseGoal(source: JobSource, text: string): JobGraph {
  return new GoalParser(source).parse(text);
}

class GoalParser {
  private readonly builder = new GraphBuilder();
  /** Labels of the rank that is read. */
  private labels = new Map<string, number>();
  private line = 0;
  private ranks: number | null = null;
  private rank!: RankBuilder;
  private begun = 0;
  private isInRank = false;
  private isInComment = false;

  constructor(private readonly source: JobSource) {}

  parse(text: string): JobGraph {
    for (let at = 0; at < text.length;) {
      const end = text.indexOf('\n', at);
      const line = text.slice(at, end < 0 ? text.length : end);
      at = end < 0 ? text.length : end + 1;
      this.line++;
      this.source.attempt(() => {
        this.statement(this.withoutComment(line.trim()));
      });
    }
    this.source.attempt(() => {
      this.end();
    });
    this.source.settle();
    return this.builder.build();
  }

  private fail(message: string): Error {
    return this.source.errorAt(this.line, message);
  }

  private withoutComment(line: string): string {
    if (this.isInComment) {
      const end = line.indexOf('*/');
      if (end < 0) return '';
      this.isInComment = false;
      return this.withoutComment(line.slice(end + 2).trim());
    }
    if (line.startsWith('//')) return '';
    if (!line.startsWith('/*')) return line;
    this.isInComment = true;
    return this.withoutComment(line.slice(2));
  }

  private statement(line: string): void {
    if (line === '') return;
    if (this.ranks === null) {
      this.header(line);
      return;
    }
    if (line === '}') {
      if (!this.isInRank) throw this.fail('a } without a rank that it ends');
      this.isInRank = false;
      return;
    }
    const rank = /^rank\s+(\d+)\s*\{$/.exec(line);
    if (rank !== null) {
      this.beginRank(Number(rank[1]));
      return;
    }
    if (!this.isInRank) throw this.fail(`${show(line)} stands outside of a rank; write rank 0 {`);
    const edge = EDGE.exec(line);
    if (edge === null) this.operation(line);
    else this.edge(edge[1]!, edge[2]!, edge[3]!);
  }

  private header(line: string): void {
    const match = /^num_ranks\s+(\d+)$/.exec(line);
    const ranks = Number(match?.[1] ?? 0);
    if (ranks < 1 || ranks > 2 ** 24) {
      this.ranks = 0;
      throw this.fail(`a file of GOAL begins with num_ranks and their number, not ${show(line)}`);
    }
    this.ranks = ranks;
  }

  private beginRank(rank: number): void {
    if (this.isInRank) {
      throw this.fail(`rank ${rank} begins within rank ${this.begun - 1}; a } is missing`);
    }
    const expected = this.begun;
    this.isInRank = true;
    this.begun++;
    this.labels = new Map();
    this.rank = this.builder.addRank();
    if (rank === expected) return;
    throw this.fail(`rank ${rank}, where rank ${expected} is next: ranks stand in ascending order`);
  }

  private operation(line: string): void {
    const match = STATEMENT.exec(line);
    if (match === null) {
      const what = 'calc 100, send 64b to 1, recv 64b from 0, or a requires b';
      throw this.fail(`not a statement of GOAL: ${show(line)}; write ${what}`);
    }
    const [, label, time, verb, octets, , peer, rest = ''] = match;
    const isCalc = verb === undefined;
    const isSend = verb === 'send';
    if (!isCalc && match[5] !== (isSend ? 'to' : 'from')) {
      throw this.fail(`${verb} … ${match[5]!}; write send … to, recv … from`);
    }
    const options = OPTIONS.exec(rest);
    if (options === null || (isCalc && (options[1] ?? options[3]) !== undefined)) {
      const allowed = isCalc ? 'cpu' : 'tag, cpu and nic, in this order';
      throw this.fail(`not options of ${verb ?? 'calc'}: ${show(rest.trim())}; it has ${allowed}`);
    }
    const [, tag = '0', cpu = '0', nic = '0'] = options;
    const amount = Number(time ?? octets) * (isCalc ? PS_PER_NS : 1);
    if (amount > Number.MAX_SAFE_INTEGER) throw this.fail(`too large: ${time ?? octets!}`);
    if (isSend && tag === '-1') throw this.fail('a send has a tag; -1 is for receives');
    if (Number(tag) >= TAG_MOST) throw this.fail(`tag ${tag}; at most ${TAG_MOST - 1}`);
    if (Number(cpu) > INDEX_MOST) throw this.fail(`cpu ${cpu}; at most ${INDEX_MOST}`);
    if (Number(nic) > 0) throw this.fail(`nic ${nic}; a rank here has one, nic 0`);
    if (!isCalc) this.checkPeer(isSend, Number(peer));
    const kind = isCalc ? COMPUTE : isSend ? SEND : RECEIVE;
    const operation = this.rank.add(kind, amount, {
      peer: isCalc ? ANY : Number(peer),
      tag: Number(tag) | 0,
      stream: Number(cpu),
      origin: this.line,
      ...(label === undefined ? {} : { name: label }),
    });
    if (label !== undefined) this.define(label, operation);
  }

  private checkPeer(isSend: boolean, peer: number): void {
    const own = this.begun - 1;
    if (peer === ANY && isSend) throw this.fail('a send goes to one rank; -1 is for receives');
    if (peer === own)
      throw this.fail(`rank ${own} would ${isSend ? 'send to' : 'receive from'} itself`);
    if (peer < this.ranks!) return;
    const last = this.ranks! - 1;
    throw this.fail(`there is no rank ${peer}: ${this.ranks!} ranks are 0 to ${last}`);
  }

  private define(label: string, operation: number): void {
    if (!LABEL.test(label)) {
      throw this.fail(`not a label: ${show(label)}; a letter, then letters, digits and _`);
    }
    if (this.labels.has(label)) throw this.fail(`the label ${label} is there twice`);
    this.labels.set(label, operation);
  }

  private edge(later: string, verb: string, earlier: string): void {
    const [operation, other] = [this.labelled(later), this.labelled(earlier)];
    if (operation === other) throw this.fail(`${later} would wait for itself`);
    this.rank.require(operation, other, verb === 'requires' ? 'done' : 'started');
  }

  private labelled(label: string): number {
    const operation = this.labels.get(label);
    if (operation !== undefined) return operation;
    const hint = didYouMean(label, this.labels.keys());
    throw this.fail(
      `no statement of rank ${this.begun - 1} before this has the label ${label}${hint}`,
    );
  }

  private end(): void {
    if (this.isInComment) throw this.fail('the file ends within a comment: */ is missing');
    if (this.ranks === null) throw this.fail('an empty file; it begins with num_ranks');
    if (this.isInRank) throw this.fail(`the file ends within rank ${this.begun - 1}: } is missing`);
    if (this.begun === this.ranks) return;
    throw this.fail(`num_ranks says ${this.ranks}, and the file has ${this.begun}`);
  }
}
