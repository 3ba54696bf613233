import { EXCHANGE } from '../fabric-context.js';
import type { CreditSettings } from './settings.js';

/** The flow control of a link whose ends have these messages; null: they have none in common. */
export function codecBetween(
  { codec: here }: Pick<CreditSettings, 'codec'>,
  { codec: there }: Pick<CreditSettings, 'codec'>,
): string | null {
  if (here !== 'ce' && there !== 'ce') return 'cbfc';
  return here === 'cbfc' || there === 'cbfc' ? null : EXCHANGE;
}
