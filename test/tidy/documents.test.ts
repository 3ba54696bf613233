/** What documents refer to is there. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { filesMatching, textOf } from './files.js';

const DOCUMENT = /\.md$/;
const RELEASE_LINES = 120;
/** Where paths are given below `services`. */
const MAPS = /^(ARCHITECTURE\.md|docs\/glossary\.md|docs\/internals\/)/;
const ROOMS =
  'engine|settings|mechanisms|plugins|library|fabric|runtime|coordinator|service|telemetry|report|cli|hunt|live|page';

it('links between documents lead somewhere', () => {
  const dead = filesMatching(DOCUMENT).flatMap((path) =>
    [...textOf(path).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !existsSync(join(dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  );
  assert.deepEqual(dead, []);
});

it('paths in the maps of the sources exist', () => {
  const name = new RegExp(`\`((?:${ROOMS})/[a-z0-9/-]+)\``, 'g');
  const dead = filesMatching(MAPS).flatMap((path) =>
    [...textOf(path).matchAll(name)]
      .map(([, place]) => place!)
      .filter((place) => !['', '.ts', '.tsx'].some((end) => existsSync(`services/${place}${end}`)))
      .map((place) => `${path}: ${place}`),
  );
  assert.deepEqual(dead, []);
});

it('what a founding document says has a source and a test', () => {
  const rows = filesMatching(/^docs\/seeds\/.*\.md$/).flatMap((path) =>
    textOf(path)
      .split('\n')
      .filter((line) => /^\| (?!-)/.test(line))
      .slice(1)
      .map((line) => [path, ...line.split('|').slice(1, -1)]),
  );
  assert.notEqual(rows.length, 0);
  const dead = rows.flatMap(([path, claim, source = '', test = '']) => {
    const [sources, tests] = [source, test].map((cell) =>
      Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name!),
    );
    const isTest = (name: string): boolean => /^test\/.*\.test\.ts$/.test(name);
    const isWhole = sources!.length > 0 && tests!.length > 0 && tests!.every(isTest);
    return isWhole && [...sources!, ...tests!].every(existsSync) ? [] : [`${path}: ${claim}`];
  });
  assert.deepEqual(dead, []);
});

it('the changelog has a page for each release, the newest first, that of the package', () => {
  const [, ...releases] = textOf('CHANGELOG.md').split(/^## /m);
  const versions = releases.map((release) => release.split('\n', 1)[0]!);
  assert.ok(versions.every((version) => /^\d+\.\d+\.\d+$/.test(version)));
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  assert.equal(versions[0], version);
  assert.equal(new Set(versions).size, versions.length);
  for (const release of releases) {
    const [heading, ...groups] = release.split(/^### .+\n\n(?=- )/m);
    assert.ok(groups.length > 0 && !/^- /m.test(heading!), 'each change is in a group');
    assert.ok(release.split('\n').length <= RELEASE_LINES, `${versions[0]}: more than a page`);
  }
});
