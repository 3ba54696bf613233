import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

/** A line of Node that is supported: package.json in each folder says which version of it. */
export interface Line {
  readonly name: string;
  readonly binary: string;
  /** Why it is not tested; false: it is. */
  readonly skip: string | false;
}

function line(major: number, folder: string): Line {
  const binary = join(ROOT, 'test/nodes', folder, `node_modules/node-${major}/bin/node`);
  const skip = existsSync(binary) ? false : `no ${binary}: npm ci --prefix test/nodes/${folder}`;
  return { name: `Node ${major}`, binary, skip };
}

const NEWEST = line(26, 'newest');
const OTHERS = [20, 22, 24].map((major) => line(major, 'long'));

/** The newest, and in the long suite all. */
export const LINES: readonly Line[] = isLong ? [...OTHERS, NEWEST] : [NEWEST];
