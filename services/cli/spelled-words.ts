import { InputError } from './exit.js';

/** `--check` has no value, but for this one: a word behind it is a scenario. */
export function spelledWords(words: readonly string[]): string[] {
  return words.map((word) => {
    if (word === '--check=deep') return '--check-deep';
    if (!word.startsWith('--check=')) return word;
    throw new InputError(`${word}: --check has no value, or deep`);
  });
}
