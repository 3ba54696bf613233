/** What is wrong in the files of a switch: all of it at once, each with its place. */

export interface FilePlace {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** As `BUFFER_PG Ethernet0|3-4 profile`; empty for the file as a whole. */
  readonly key: string;
}

interface FileError extends FilePlace {
  readonly message: string;
}

/** Collects errors; the first that matters is rarely the only one. */
export class FileErrors {
  readonly list: FileError[] = [];

  add({ file, line, key }: FilePlace, message: string): void {
    this.list.push({ file, line, key, message });
  }

  /** Throws them all, in the order of their places. */
  settle(): void {
    if (this.list.length === 0) return;
    throw new SonicError(this.list);
  }
}

/** Files that no switch would run as they are meant. */
export class SonicError extends Error {
  constructor(readonly errors: readonly FileError[]) {
    super(errors.map(textOf).join('\n'));
    this.name = 'SonicError';
  }
}

function textOf({ file, line, key, message }: FileError): string {
  return `${file}:${line}: ${key === '' ? '' : `${key}: `}${message}`;
}
