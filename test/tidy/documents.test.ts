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

/** Words that the glossary replaces, in sources and in all that people read. */
const RETIRED: readonly RegExp[] = [
  /\bagenda/i,
  /asker/i,
  // Two links may be mis-cabled; each stays a link.
  /\bcables?\b|[a-z]Cables?\b|\bcable[A-Z]|CABLE_/,
  /\bcarriage/i,
  /\bcircle(Of|Through|Among)|circles? (that|of) waits?/i,
  /(?<!flow )\bcompletion times?\b/i,
  /contender/i,
  /\bdesk/i,
  /\bdice\b/i,
  /done p50|slow p99/i,
  /doorkeeper/i,
  /drawnBefore/,
  /edge that acts/i,
  // Documents have figures with a number; programs and pages draw some.
  /(?<![.<]|<\/)\bfigures?\b(?! \d| {|>| class| key)|[a-z]Figures?\b|\bFigures?\b(?! \d)/,
  /forger/i,
  /frame-time lost/i,
  /glanc(e|ing)/i,
  /guilty/i,
  // What a protocol withholds is something else.
  /(?<!with)held/i,
  /\bheed/i,
  /\bhomes?\b|\bgoHome/i,
  /ingress ?accounts?\b/i,
  /\bkicks?\b/i,
  // A PCIe link has lanes, and nothing else.
  /(?<!PCIe.*)\blanes?\b/i,
  /\bLie\b|\ba lie\b/,
  /\blook\(|\blooked[A-Z]|[a-z]Looks?\b|LookRequest/,
  /\blot[AB]?\b(?! of)/,
  /machinery/i,
  /meeting/i,
  /\bMember\b|makeMember/,
  /metered/i,
  /neighbour/i,
  /obey/i,
  /on the wall\b/i,
  /outlet/i,
  /\bPart(State|Plan)\b|runtime\/part\b/,
  /payload \d+ [GM]b/,
  /promised memory/i,
  /\bset apart\b/i,
  /shelf/i,
  /stand-in/i,
  /[a-z]Stopped\b|\bstopped(By|Groups|Ps|Since|Until)/,
  /-ways\b|OnWay\b/,
  /\bwish/i,
];

it('retired words are gone', () => {
  const written =
    /^(services|docs|examples|clients|proto|k8s|deploy|bench)\/.*\.(tsx?|mjs|css|md|yaml|proto|py)$/;
  const spoken = [...filesMatching(written), 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'];
  const found = spoken.flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, i) => {
        const word = RETIRED.find((pattern) => pattern.test(line));
        return word === undefined ? [] : [`${path}:${i + 1}: ${word.source} in: ${line.trim()}`];
      }),
  );
  assert.deepEqual(found, [], 'docs/glossary.md has the words instead');
});

/** What people do. Components send, receive, advertise, grant, record: see docs/glossary.md. */
const PERSONAL =
  /\b(told|said|asked|nobody|somebody|anybody|who|whom|whoever|hears?|hearers?|heard|heeds?|ears?|he|him)\b/i;

it('components send and receive: words of people stay out', () => {
  const written = /^(services\/.*\.(tsx?|md|css)|examples\/.*\.yaml|proto\/.*\.proto)$/;
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
