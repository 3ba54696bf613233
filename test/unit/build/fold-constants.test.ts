/**
 * The build writes constants where they are used, and again when they change; it binds the rest.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'selvage-fold-'));
const file = (name: string): string => join(folder, name);

after(() => {
  rmSync(folder, { recursive: true });
});

function compiled(name: string, text: string): void {
  writeFileSync(file(name), text);
  // Compiled later than what was folded before.
  const later = Date.now() / 1000 + 10;
  utimesSync(file(name), later, later);
}

function fold(): { status: number | null; stderr: string } {
  return spawnSync(process.execPath, ['services/build/fold-constants.mjs', folder], {
    encoding: 'utf8',
  });
}

const USER = `import { BITS, DEEP, NAMES, WIDE as W } from './words.js';
export const record = { BITS, deep: DEEP, W: NAMES.W };
export const sum = (a) => a + BITS - W;
`;

it('a constant number is folded wherever it stands for its value', () => {
  compiled(
    'words.js',
    `export const BITS = 3;
export const WIDE = (1 << BITS) | 16;
export const DEEP = -BITS * 2;
export const NAMES = { W: 7 };
`,
  );
  compiled('user.js', USER);
  assert.equal(fold().status, 0);
  assert.equal(
    readFileSync(file('user.js'), 'utf8'),
    `import { BITS, DEEP, NAMES, WIDE as W } from './words.js';
const $NAMES = NAMES; export const record = { BITS: 3 /* BITS */, deep: (-6 /* DEEP */), W: $NAMES.W };
export const sum = (a) => a + 3 /* BITS */ - 24 /* W */;
`,
  );
});

it('a constant that changes is folded anew where its users were not compiled again', () => {
  compiled('words.js', 'export const BITS = 4, WIDE = 1, DEEP = 5;\nexport const NAMES = {};\n');
  assert.equal(fold().status, 0);
  const text = readFileSync(file('user.js'), 'utf8');
  assert.match(text, /\(a\) => a \+ 4 \/\* BITS \*\/ - 1 \/\* W \*\/;/);
  assert.match(text, /deep: 5 \/\* DEEP \*\//);
});

it('what is folded once stays as it is', () => {
  const before = readFileSync(file('user.js'), 'utf8');
  compiled('words.js', readFileSync(file('words.js'), 'utf8'));
  assert.equal(fold().status, 0);
  assert.equal(readFileSync(file('user.js'), 'utf8'), before);
});

it('a name that hides a constant is refused', () => {
  compiled('user.js', `${USER}export const hide = (BITS) => BITS;\n`);
  const { status, stderr } = fold();
  assert.notEqual(status, 0);
  assert.match(stderr, /user\.js hides BITS/);
});

it('a function that modules share is bound, unless something hides it', () => {
  const words = `export function twice(n) {
    return 2 * n;
}
export function four(n) {
    return twice(twice(n));
}
`;
  const other = `import { four, twice } from './numbers.js';
export const hidden = (four) => four(1);
export const all = { twice, of: (n) => \`\${twice(n)}\`, twiceOf: (a) => a.twice(1) };
`;
  compiled('numbers.js', words);
  compiled('other.js', other);
  compiled('user.js', USER);
  assert.equal(fold().status, 0);
  const boundWords = `const $twice = twice; ${words.replace('twice(twice(n))', '$$twice($$twice(n))')}`;
  const boundOther = `import { four, twice } from './numbers.js';
const $twice = twice; export const hidden = (four) => four(1);
export const all = { twice: $twice, of: (n) => \`\${$twice(n)}\`, twiceOf: (a) => a.twice(1) };
`;
  for (const path of ['numbers.js', 'other.js']) {
    compiled(path, readFileSync(file(path), 'utf8'));
    assert.equal(fold().status, 0);
  }
  assert.equal(readFileSync(file('numbers.js'), 'utf8'), boundWords);
  assert.equal(readFileSync(file('other.js'), 'utf8'), boundOther);
});

it('an assertion becomes a condition, once', () => {
  const folder = file('kernel');
  mkdirSync(folder);
  compiled('kernel/assert.js', 'export function assert(condition, code) {}\n');
  const user = `import { assert } from './kernel/assert.js';
export function take(n) {
    assert(n >= 0 && n < 8, 'n.range');
}
`;
  const folded = `import { assert } from './kernel/assert.js';
const $assert = assert; export function take(n) {
    if (!(n >= 0 && n < 8)) $assert(false, 'n.range');
}
`;
  compiled('taker.js', user);
  for (let times = 0; times < 2; times++) {
    assert.equal(fold().status, 0);
    assert.equal(readFileSync(file('taker.js'), 'utf8'), folded);
    compiled('kernel/assert.js', 'export function assert(condition, code) { /* again */ }\n');
  }
});
