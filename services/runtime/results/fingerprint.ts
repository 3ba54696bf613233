import { createHash } from 'node:crypto';

/** 128 bits over lines, in an order of their own. */
export function fingerprint(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of [...lines].sort()) hash.update(`${line}\n`);
  return hash.digest('hex').slice(0, 32);
}
