/** What documents refer to is there, and words that are retired come back nowhere. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { filesMatching, textOf } from './files.js';

const DOCUMENT = /\.md$/;
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

/**
 * Words that the glossary replaces, and in how many lines of the sources and documents each is
 * left. A number may only sink; a word at 0 is gone for good.
 */
const RETIRED: Readonly<Record<string, number>> = {
  '\\bagenda': 0,
  asker: 0,
  '\\bcarriage': 0,
  contender: 0,
  '\\bdesk': 10,
  '\\bdice\\b': 18,
  doorkeeper: 0,
  '\\bears?\\b': 0,
  forger: 0,
  'glanc(e|ing)': 3,
  '\\bhears?\\b': 0,
  '\\bheed': 0,
  '\\bkicks?\\b': 0,
  '\\blanes?\\b': 50,
  machinery: 56,
  meeting: 0,
  metered: 1,
  neighbour: 0,
  nobody: 0,
  obey: 29,
  outlet: 2,
  shelf: 0,
  somebody: 0,
  'stand-in': 0,
  '\\btold\\b': 0,
  '\\bwish': 0,
};

it('retired words become fewer', () => {
  const written = /^(services\/.*\.tsx?|README\.md|ARCHITECTURE\.md|docs\/(?!keys\.md).*\.md)$/;
  const spoken = filesMatching(written);
  const lines = spoken.flatMap((path) => textOf(path).split('\n'));
  const grown = Object.entries(RETIRED).flatMap(([word, most]) => {
    const pattern = new RegExp(word, 'i');
    const count = lines.filter((line) => pattern.test(line)).length;
    return count > most ? [`${word}: ${count} lines, at most ${most}; see docs/glossary.md`] : [];
  });
  assert.deepEqual(grown, []);
});

/** What people do. Components send, receive, advertise, grant, record: see docs/glossary.md. */
const PERSONAL = /\b(told|nobody|somebody|anybody|whoever|hears?|hearers?|heard|heeds?|ears?)\b/i;

it('components send and receive: words of people stay out', () => {
  const written =
    /^(services\/(?!(report\/)?page\/).*\.(tsx?|md)|examples\/.*\.yaml|proto\/.*\.proto)$/;
  const found = filesMatching(written).flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, i) => (PERSONAL.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
  );
  assert.deepEqual(found, []);
});

it('names of tests say what components do', () => {
  const name = /\b(?:it|describe|test)(?:\.\w+)?\(\s*(['"`])(.*?)\1/gs;
  const found = filesMatching(/^test\/.*\.ts$/).flatMap((path) =>
    [...textOf(path).matchAll(name)]
      .filter(([, , words]) => PERSONAL.test(words!))
      .map(([, , words]) => `${path}: ${words!}`),
  );
  assert.deepEqual(found, []);
});
