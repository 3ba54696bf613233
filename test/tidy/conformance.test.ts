/** The book of conformance: what a claim names is there, and every octet of it has a name. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CONFORMANCE } from '../../services/cli/conformance-pages.js';
import { WIRE_FORMATS } from '../../services/engine/wire/formats.js';
import { describeScenario } from '../../services/fabric/scenario/catalogue.js';
import { filesMatching, textOf } from './files.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { leftOver } from '../kit/printed.js';

const CLAIMS = CONFORMANCE.flatMap(({ claims }) => claims);
const KEYS = new Set(describeScenario([]).map(({ path }) => path));

/** Clauses that the project claims, of which each has a page. */
const CLAIMED: Readonly<Record<string, readonly string[]>> = {
  '802.1AB': ['8.4', '9.1.2.2', '9.2.5', '9.2.7', '9.2.8', '9.2.9'],
  '802.1Q': [
    '30',
    '32.',
    '33.',
    '36',
    '37',
    '38.3',
    '38.4',
    '49.3',
    '49.4',
    '52',
    'D.2',
    'Annex N',
  ],
  '802.3': ['31B', '31D', '31.4'],
  'Ultra Ethernet 1.0: link layer': ['5.2', 'LLR'],
  'Credit exchange: proposal of January 2014': ['CE Frame', 'DCBX'],
  'Source flow control: proposal of January 2025': ['processSfcmPdu', 'LLDP'],
  'Intel 82599: data sheet': ['7.4.5', '7.5', '7.6', '7.7.1', '7.7.2', '7.7.3'],
  'MVTX2802: data sheet': ['7.2', '7.6', '7.8', '7.9', '7.9.1', '7.9.2'],
};

/** Clauses of standards that the book is about. */
const BOOK = /^(802\.1AB .*|802\.1Q (6\.9|3[0-36-8]|49|52)(\..*)?|802\.3 31[BD](\..*)?)$/;
const CLAUSE = String.raw`(?:[0-9]+[A-Z]?|[A-Z])(?:\.[0-9]+)*`;
const REFERENCE = new RegExp(
  String.raw`P?(802\.1Q|802\.1AB|802\.3)(?:cz|dw|az|bb|au)? ` +
    String.raw`(?:clauses? |Annex )?(${CLAUSE}(?:(?:, and |, | and )${CLAUSE})*)`,
  'g',
);

/** By clause that a source cites: one such source. */
const CITED = new Map(
  filesMatching(/^services\/.*(?<!conformance)\.ts$/).flatMap((file) => {
    const text = textOf(file).replace(/\n[ \t]*(\*|\/\/)?[ \t]*/g, ' ');
    return [...text.matchAll(REFERENCE)].flatMap(([, of, clauses]) =>
      clauses!
        .split(/, and |, | and /)
        .map((clause) => [`${of!} ${clause}`, file] as const)
        .filter(([cited]) => BOOK.test(cited)),
    );
  }),
);

describe('the book of conformance', () => {
  it('has every clause that is claimed', () => {
    const missing = Object.entries(CLAIMED).flatMap(([document, clauses]) =>
      clauses.filter(
        (clause) =>
          !CLAIMS.some((claim) => claim.of === document && claim.clause.startsWith(clause)),
      ),
    );
    assert.deepEqual(missing, []);
    assert.deepEqual(leftOver(), [], 'pages that nothing claims: npm run generate');
  });

  it('has every clause of theirs that a source refers to', () => {
    const claimed = CLAIMS.flatMap(({ of, clause }) =>
      clause.split(', ').map((one) => `${of} ${one}`),
    );
    const isClaimed = (cited: string): boolean =>
      claimed.some((one) => one === cited || one.startsWith(`${cited}.`));
    assert.ok(CITED.size > 50, `${CITED.size}`);
    const missing = [...CITED].filter(([cited]) => !isClaimed(cited));
    assert.deepEqual(missing, []);
  });

  it('names tests that are there', () => {
    const missing = CLAIMS.flatMap(({ test: [file, title] }) => {
      const path = join(ROOT, file);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const isThere = ["'", '`', '"'].some((quote) => text.includes(`${quote}${title}`));
      return isThere ? [] : [`${file}: ${title}`];
    });
    assert.deepEqual(missing, []);
  });

  it('names examples, keys and formats that are there', () => {
    const missing = CLAIMS.flatMap(({ example, key, octets }) => [
      ...(existsSync(join(ROOT, `examples/${example}.yaml`)) ? [] : [example]),
      ...(KEYS.has(key) ? [] : [key]),
      ...(octets === undefined || WIRE_FORMATS.some(({ title }) => title === octets)
        ? []
        : [octets]),
    ]);
    assert.deepEqual(missing, []);
  });

  it('names ports whose capture an example can have', () => {
    for (const { capture, example } of CLAIMS) {
      if (capture === undefined) continue;
      const [ports] = capture;
      const { linkEnds } = fabricOf(`examples/${example}.yaml`);
      const pattern = new RegExp(`^${ports.replace('*', '.*')}$`);
      const names = linkEnds.flat().map(({ name }) => name);
      assert.ok(
        names.some((name) => pattern.test(name)),
        `${example} ${ports}: ${names.join()}`,
      );
    }
  });

  it('names every octet that is not zero', () => {
    const shown = new Set(CLAIMS.flatMap(({ octets }) => octets ?? []));
    const nameless = WIRE_FORMATS.filter(({ title }) => shown.has(title)).flatMap(
      ({ title, fields, fixed, example }) =>
        [...example].flatMap((octet, at) => {
          const isFixed = fixed.some(([, from, count]) => from <= at && at < from + count);
          const isNamed = isFixed || fields.some(({ mask }) => mask[at] !== 0);
          return octet === 0 || isNamed ? [] : [`${title}: ${at}`];
        }),
    );
    assert.deepEqual(nameless, []);
    assert.ok(shown.size > 15, `${shown.size}`);
  });
});
