import { createHash } from 'node:crypto';

/** A plugin as it is carried with its scenario: to threads, services, pods and saved runs. */
export interface PluginSource {
  /** The path that the scenario gives. */
  readonly file: string;
  /** Of the text, in hexadecimal. */
  readonly sha256: string;
  readonly text: string;
}

/** A plugin that cannot be used; the message has the error and the remedy. */
export class UnusablePlugin extends Error {}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Throws unless the text is the one that was hashed. */
export function checkHash({ file, sha256, text }: PluginSource): void {
  const actual = sha256Of(text);
  if (actual === sha256) return;
  throw new UnusablePlugin(`${file}: its text has the SHA-256 ${actual}, not ${sha256}`);
}
