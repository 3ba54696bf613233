import { InputError } from './exit.js';

/** A whole number given to an option. */
export function wholeNumber(option: string, text: string, least: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= least) return value;
  throw new InputError(`${option} ${text}: not a whole number from ${least} up`);
}
