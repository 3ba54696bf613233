import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';

// A folder as one stream: per file a line of JSON with its path and size, then its bytes; a line
// with `null` ends it. Images need no archiver, and files belong to the reader of the stream.

/** Program for `node -e`, which writes the folder of its argument to its standard output. */
export const SEND_FOLDER = `
const fs = require('fs'), path = require('path'), root = process.argv[1];
const put = (piece) => { for (let at = 0; at < piece.length;) {
  try { at += fs.writeSync(1, piece, at); }
  catch (error) { if (error.code !== 'EAGAIN') throw error; }
} };
const piece = Buffer.alloc(1 << 16);
const walk = (folder) => { for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
  const file = path.join(folder, entry.name);
  if (entry.isDirectory()) { if (entry.name !== 'lost+found') walk(file); continue; }
  if (!entry.isFile()) continue;
  const open = fs.openSync(file, 'r'), { size } = fs.fstatSync(open);
  put(Buffer.from(JSON.stringify({ path: path.relative(root, file), size }) + '\\n'));
  for (let left = size; left > 0;) {
    const read = fs.readSync(open, piece, 0, Math.min(left, piece.length));
    if (read === 0) throw new Error(file + ' became shorter');
    put(piece.subarray(0, read)); left -= read;
  }
  fs.closeSync(open);
} };
if (fs.existsSync(root)) walk(root);
put(Buffer.from('null\\n'));
`;

const NEWLINE = 10;

/** Writes the files of such a stream below a folder, as the pieces come. */
export class FolderReader {
  files = 0;
  private line: Buffer = Buffer.alloc(0);
  private open: number | null = null;
  private left = 0;
  private ended = false;

  constructor(private readonly into: string) {}

  take(piece: Buffer): void {
    let at = 0;
    while (at < piece.length && !this.ended) {
      if (this.open === null) at = this.takeLine(piece, at);
      else at = this.takeBytes(this.open, piece, at);
    }
  }

  isComplete(): boolean {
    return this.ended;
  }

  private takeLine(piece: Buffer, from: number): number {
    const end = piece.indexOf(NEWLINE, from);
    const until = end < 0 ? piece.length : end;
    this.line = Buffer.concat([this.line, piece.subarray(from, until)]);
    if (end < 0) return piece.length;
    const entry = JSON.parse(this.line.toString()) as { path: string; size: number } | null;
    this.line = Buffer.alloc(0);
    if (entry === null) this.ended = true;
    else this.begin(entry.path, entry.size);
    return end + 1;
  }

  private begin(path: string, size: number): void {
    const target = resolve(this.into, path);
    if (!target.startsWith(resolve(this.into) + sep)) throw new Error(`${path} leaves the folder`);
    mkdirSync(dirname(target), { recursive: true });
    this.open = openSync(target, 'w');
    this.left = size;
    this.files++;
    this.finish();
  }

  private takeBytes(open: number, piece: Buffer, from: number): number {
    const until = Math.min(piece.length, from + this.left);
    writeSync(open, piece, from, until - from);
    this.left -= until - from;
    this.finish();
    return until;
  }

  private finish(): void {
    if (this.left > 0 || this.open === null) return;
    closeSync(this.open);
    this.open = null;
  }
}
