/** JSON with the line of each value: a file that an operator edits has mistakes to point at. */

import type { FileErrors } from './file-errors.js';

export interface JsonNode {
  readonly line: number;
  /** A mapping keeps its keys in order. */
  readonly value: string | number | boolean | null | readonly JsonNode[] | Map<string, JsonNode>;
}

/** Nested deeper, no file of a switch is meant. */
const DEEPEST = 64;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
};

/** The value of a file; null if it cannot be read, which is an error then. */
export function readJson(file: string, text: string, errors: FileErrors): JsonNode | null {
  try {
    return new Reader(file, text, errors).all();
  } catch (error) {
    if (!(error instanceof Cut)) throw error;
    errors.add({ file, line: error.line, key: '' }, error.message);
    return null;
  }
}

class Cut extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

class Reader {
  private at = 0;
  private line = 1;

  constructor(
    private readonly file: string,
    private readonly text: string,
    private readonly errors: FileErrors,
  ) {
    if (text.startsWith('\uFEFF')) this.at = 1;
  }

  all(): JsonNode {
    const node = this.value(0);
    this.skip();
    if (this.at < this.text.length) throw this.cut('more behind the end of the JSON value');
    return node;
  }

  private value(depth: number): JsonNode {
    this.skip();
    if (depth > DEEPEST) throw this.cut(`nested deeper than ${DEEPEST} levels`);
    const { line } = this;
    const sign = this.text[this.at];
    if (sign === '{') return { line, value: this.mapping(depth) };
    if (sign === '[') return { line, value: this.items(depth) };
    if (sign === '"') return { line, value: this.string() };
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return { line, value };
    }
    NUMBER.lastIndex = this.at;
    const [written] = NUMBER.exec(this.text) ?? [];
    if (written === undefined) throw this.cut(`no JSON value${this.found()}`);
    this.at += written.length;
    return { line, value: Number(written) };
  }

  private mapping(depth: number): Map<string, JsonNode> {
    const entries = new Map<string, JsonNode>();
    this.at++;
    if (this.takes('}')) return entries;
    for (;;) {
      this.skip();
      if (this.text[this.at] !== '"') throw this.cut(`a key in quotes is missing${this.found()}`);
      const { line } = this;
      const key = this.string();
      if (!this.takes(':')) throw this.cut(`":" is missing behind ${JSON.stringify(key)}`);
      const node = this.value(depth + 1);
      const before = entries.get(key);
      if (before !== undefined) {
        const message = `given twice, first in line ${before.line}: remove one of them`;
        this.errors.add({ file: this.file, line, key }, message);
      } else entries.set(key, node);
      if (this.takes('}')) return entries;
      if (!this.takes(',')) throw this.cut(`"," or "}" is missing${this.found()}`);
    }
  }

  private items(depth: number): JsonNode[] {
    const items: JsonNode[] = [];
    this.at++;
    if (this.takes(']')) return items;
    for (;;) {
      items.push(this.value(depth + 1));
      if (this.takes(']')) return items;
      if (!this.takes(',')) throw this.cut(`"," or "]" is missing${this.found()}`);
    }
  }

  private string(): string {
    this.at++;
    let written = '';
    for (;;) {
      PLAIN.lastIndex = this.at;
      const [plain = ''] = PLAIN.exec(this.text) ?? [];
      written += plain;
      this.at += plain.length;
      const sign = this.text[this.at];
      if (sign === '"') {
        this.at++;
        return written;
      }
      if (sign !== '\\') throw this.cut('a text has no closing quote in its line');
      written += this.escape();
    }
  }

  private escape(): string {
    const sign = this.text[this.at + 1] ?? '';
    if (sign === 'u') {
      const code = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(code)) throw this.cut('\\u needs four hexadecimal digits');
      this.at += 6;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    const meant = ESCAPES[sign];
    if (meant === undefined) throw this.cut(`\\${sign} is no escape of JSON`);
    this.at += 2;
    return meant;
  }

  private takes(sign: string): boolean {
    this.skip();
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private skip(): void {
    for (; ; this.at++) {
      const sign = this.text[this.at];
      if (sign === '\n') this.line++;
      else if (sign !== ' ' && sign !== '\t' && sign !== '\r') return;
    }
  }

  private found(): string {
    const sign = this.text[this.at];
    return sign === undefined
      ? ': the file ends here, it is cut'
      : `; found ${JSON.stringify(sign)}`;
  }

  private cut(message: string): Cut {
    return new Cut(this.line, message);
  }
}
