import type { BufferSection } from '../scenario/scenario.js';

/** Null: as it was. */
export interface LinkSetting {
  readonly rateBps: number | null;
  readonly lengthMm: number | null;
}

export type BufferEdit = (buffer: BufferSection) => BufferSection;

/** A name that the buffer of a switch does not have. */
export class NoSuchName extends Error {
  constructor(
    readonly key: string,
    message: string,
  ) {
    super(message);
  }
}
