/**
 * What is kept in the repository and printed by the program: `npm run generate` writes it, and
 * tidy/references compares it.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFORMANCE_PAGES } from '../../services/cli/conformance-pages.js';
import { keysPage } from '../../services/cli/keys-page.js';
import { chartJsonSchema } from '../../services/cli/kubernetes/values.js';
import { mechanismsHelp } from '../../services/cli/known-names.js';
import { program } from '../../services/cli/program.js';
import { referencePage } from '../../services/cli/reference-pages.js';
import { scenarioJsonSchema } from '../../services/fabric/scenario/catalogue.js';
import { summaryJsonSchema } from '../../services/report/summary/summary-schema.js';
import { ROOT } from './emulate.js';
import { keptFingerprints } from './golden.js';
import { PAGES } from './page.js';

interface Printed {
  readonly path: string;
  /** What it is, or what prints it for a user. */
  readonly by: string;
  /** The whole file; most need nothing of what it holds now. */
  print(kept: string): string;
}

const TOPICS = ['commands', 'metrics', 'tables', 'wire-formats'];
/** A run directory that a document names: example and digest. */
const DIRECTORY = /runs\/([a-z0-9-]+)-[0-9a-f]{8}\b/g;
const DIGEST_DIGITS = 8;

const WHOLE: readonly Printed[] = [
  { path: 'docs/keys.md', by: 'selvage explain --markdown', print: keysPage },
  ...TOPICS.map((topic) => ({
    path: `docs/${topic}.md`,
    by: `selvage explain ${topic} --markdown`,
    print: () => referencePage(topic, program(mechanismsHelp())),
  })),
  {
    path: 'docs/scenario.schema.json',
    by: 'selvage schema',
    print: () => jsonText(scenarioJsonSchema()),
  },
  {
    path: 'docs/summary.schema.json',
    by: 'selvage schema --summary',
    print: () => jsonText(summaryJsonSchema()),
  },
  {
    path: 'k8s/values.schema.json',
    by: 'selvage k8s values --chart',
    print: () => jsonText(chartJsonSchema()),
  },
];

/** The book of conformance: a page for each part that claims something. */
const BOOK = Object.entries(CONFORMANCE_PAGES).map(([topic, print]): Printed => {
  const path = topic.includes('/') ? `docs/${topic}.md` : `docs/${topic}/README.md`;
  return { path, by: `selvage explain ${topic} --markdown`, print };
});

/** Pages of the book that nothing claims any more. */
export function leftOver(root = ROOT): string[] {
  const folder = join(root, 'docs/conformance');
  const pages = existsSync(folder) ? readdirSync(folder) : [];
  return pages
    .map((name) => `docs/conformance/${name}`)
    .filter((path) => BOOK.every((page) => page.path !== path));
}

const DIGESTS = PAGES.filter((page) => WHOLE.every(({ path }) => path !== page));

const PRINTED: readonly Printed[] = [
  ...WHOLE,
  ...BOOK,
  ...DIGESTS.map((path) => ({ path, by: 'digests of examples', print: withDigests })),
];

/** Those of which the file, in this checkout or another folder, is not as it would be printed now. */
export function stale(root = ROOT): { readonly printed: Printed; readonly text: string }[] {
  return PRINTED.flatMap((printed) => {
    const file = join(root, printed.path);
    const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const text = printed.print(kept);
    return text === kept ? [] : [{ printed, text }];
  });
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Names of run directories as the fingerprints of their examples say. */
function withDigests(kept: string): string {
  return kept.replace(DIRECTORY, (folder, example: string) => {
    const digest = keptFingerprints(`${example}.yaml`)?.state.slice(0, DIGEST_DIGITS);
    return digest === undefined ? folder : `runs/${example}-${digest}`;
  });
}
