import { readFileSync } from 'node:fs';

/** Version of this software, from its package. */
export function readVersion(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
