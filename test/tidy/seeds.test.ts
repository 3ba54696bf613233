/**
 * Tables of claims: they are those of the READMEs, each part of a document has a row, and the files
 * and the tests that a row names are there.
 */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { rowsOf } from '../kit/claims.js';
import { ROOT } from '../kit/emulate.js';

const FOLDER = join(ROOT, 'docs/seeds');

/** By page: headings, tables and statements of the document, as its rows begin or say them. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  '82599.md': [
    ...[
      '7.4.5:',
      '7.4.5.1:',
      '7.4.5.2:',
      '7.4.5.3,',
      '7.5:',
      '7.5.1:',
      '7.5.1, note',
      '7.6:',
      '7.7.1:',
    ],
    ...['7.7.2.1:', '7.7.2.1.1:', '7.7.2.1.2:', '7.7.2.2:', '7.7.2.2, caution', '7.7.2.3:'],
    ...['7.7.2.3.1,', '7.7.2.3.2:', '7.7.2.4:', '7.7.2.4.1,', '7.7.2.4.2,', '7.7.2.4.3,'],
    ...[
      '7.7.2.4.4:',
      '7.7.3.1:',
      '7.7.3.1, caution',
      '7.7.3.2,',
      '7.7.3.2: the high watermark',
      '7.7.3.2.1,',
      '7.7.3.2.2:',
    ],
    ...[49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59].map((table) => `7-${table}`),
    ...[33, 34, 35].map((figure) => `Figure 7-${figure}`),
  ],
  'credit-exchange.md': [
    ...['CE frame', 'CE-Tag', 'channel number', 'request is optional', 'Credit Requested = F'],
    ...['Credits granted = F(credits requested', 'shaper', 'factor', 'unit of 512 bits', 'aging'],
    ...[
      'DCBX exchanges',
      'Application Protocol TLV',
      'channeling',
      'method per priority',
      'longer distances',
    ],
    ...['six steps', 'port speed', 'whole path', 'codec'],
  ],
  'mvtx2802.md': ['7.2:', '7.6:', '7.8:', '7.9:', '7.9.1:', '7.9.2: unmanaged', '7.9.2: managed'],
  'source-flow-control.md': [
    ...['Fastest reaction', 'head-of-line', 'deadlock', 'end stations', 'Queuing Frames'],
    ...['addSfcSource', 'condTransmitSfcmPdu', 'buildAndSendSfcm', 'periodicTableCleanup'],
    ...['89-A2', 'IPv4', 'end station pauses', 'invokes PFC', 'the bridge forwards'],
    ...['No state machine', 'Annex', 'YANG', 'LLDP advertises'],
  ],
};

describe('docs/seeds', () => {
  it('has the tables of the READMEs, and a row for each part of a document', async () => {
    const file = pathToFileURL(join(FOLDER, 'make.mjs')).href;
    const { pages } = (await import(file)) as { pages: () => ReadonlyMap<string, string> };
    const made = pages();
    assert.deepEqual([...made.keys()].sort(), Object.keys(PARTS).sort());
    for (const [page, text] of made) {
      const said = readFileSync(join(FOLDER, page), 'utf8');
      assert.equal(said, text, `node docs/seeds/make.mjs: ${page}`);
      const claims = rowsOf(page).map(({ claim }) => claim);
      const missing = PARTS[page]!.filter((part) => !claims.some((claim) => claim.includes(part)));
      assert.deepEqual(missing, [], page);
    }
  });
});

for (const page of readdirSync(FOLDER).filter((name) => name.endsWith('.md'))) {
  describe(`docs/seeds/${page}`, () => {
    const rows = rowsOf(page);

    it('has sources and tests for every claim', () => {
      assert.ok(rows.length > 10);
      const empty = rows.filter(
        ({ claim, sources, tests }) => claim === '' || sources.length === 0 || tests.length === 0,
      );
      assert.deepEqual(empty, []);
    });

    it('names files that exist, and tests that are in them', () => {
      const isThere = (path: string): boolean => existsSync(join(ROOT, path));
      const missing = rows.filter(
        ({ sources, tests, name }) =>
          ![...sources, ...tests].every(isThere) ||
          !tests.every((path) => path.endsWith('.test.ts')) ||
          !tests.some((path) => readFileSync(join(ROOT, path), 'utf8').includes(name)),
      );
      assert.deepEqual(missing, []);
    });
  });
}
