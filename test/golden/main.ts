import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { prepareEngine } from '../../services/runtime/engine-flags.js';
import { ROOT } from '../kit/emulate.js';
import { withEntry } from './changelog.js';

// `npm run golden` compares every example with its kept fingerprints, and `--accept "why"` keeps
// those that it has now. See README.md.

const CHANGELOG = join(ROOT, 'CHANGELOG.md');
const EXIT_DIFFERENT = 1;
const EXIT_USAGE = 2;

interface Change {
  readonly example: string;
  readonly kinds: readonly string[];
  readonly isNew: boolean;
}

function refuse(message: string): never {
  console.error(`error: ${message}`);
  process.exit(EXIT_USAGE);
}

/** The examples named, with or without folder and suffix; none: all. */
function examplesNamed(names: readonly string[]): string[] {
  const all = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));
  const wanted = names.map((name) => `${basename(name, '.yaml')}.yaml`);
  const unknown = wanted.filter((name) => !all.includes(name));
  if (unknown.length > 0) refuse(`no such example: ${unknown.join(', ')}`);
  return wanted.length > 0 ? wanted : all;
}

async function compare(names: readonly string[], isAccepted: boolean): Promise<Change[]> {
  prepareEngine();
  const golden = await import('../kit/golden.js');
  const changes: Change[] = [];
  for (const example of names) {
    const fabric = golden.goldenFabric(example);
    const recorded = golden.recordedRun(fabric);
    const { failure } = recorded.results;
    if (failure !== null) throw new Error(`${example}: ${failure.reason}`);
    const fingerprints = golden.fingerprintsOf(fabric, recorded);
    const kinds = golden.changedKinds(golden.keptFingerprints(example), fingerprints);
    if (kinds.length === 0) continue;
    const isNew = !existsSync(golden.goldenFile(example));
    console.log(isNew ? `${example} is new` : `${example} differs in: ${kinds.join(', ')}`);
    changes.push({ example: basename(example, '.yaml'), kinds, isNew });
    if (isAccepted) writeFileSync(golden.goldenFile(example), golden.textOf(fingerprints));
  }
  return changes;
}

/** Fingerprints of examples that are gone. */
function forget(): void {
  const examples = new Set(examplesNamed([]).map((name) => basename(name, '.yaml')));
  for (const name of readdirSync(join(ROOT, 'test/golden'))) {
    if (!name.endsWith('.txt') || examples.has(basename(name, '.txt'))) continue;
    rmSync(join(ROOT, 'test/golden', name));
    console.log(`${name} is removed: there is no such example`);
  }
}

/** One entry for a reason, however often it is given. */
function writeReason(reason: string, all: readonly Change[]): void {
  const changes = all.filter(({ isNew }) => !isNew);
  if (changes.length === 0) return;
  const text = readFileSync(CHANGELOG, 'utf8');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const sentence = reason.endsWith('.') ? reason : `${reason}.`;
  writeFileSync(CHANGELOG, withEntry(text, version, `${whatChanges(changes)} change: ${sentence}`));
}

/**
 * Digests of these and metrics of those: an example whose digest stays is not said to have another.
 */
function whatChanges(changes: readonly Change[]): string {
  const isDigest = ({ kinds }: Change): boolean =>
    kinds.some((kind) => kind === 'wire' || kind === 'state');
  const named = (what: string, some: readonly Change[]): string[] => {
    if (some.length === 0) return [];
    const names = some.map(({ example }) => `\`${example}\``).join(', ');
    return [`${what} of ${some.length === examplesNamed([]).length ? 'all examples' : names}`];
  };
  const all = [
    ...named('digests', changes.filter(isDigest)),
    ...named(
      'results, but no digests,',
      changes.filter((change) => !isDigest(change)),
    ),
  ].join(', and ');
  return all.charAt(0).toUpperCase() + all.slice(1);
}

const program = new Command('golden')
  .argument('[examples...]', 'names of examples; none: all')
  .option('--accept <why>', 'keep the fingerprints of now; the reason goes into CHANGELOG.md')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
  .parse();
const { accept } = program.opts<{ accept?: string }>();
if (accept?.trim() === '') {
  refuse('say why they change: --accept "the reason", in one sentence for the changelog');
}
const names = examplesNamed(program.args);
const changes = await compare(names, accept !== undefined);
if (accept !== undefined) {
  forget();
  writeReason(accept.trim(), changes);
  console.log(`${changes.length} accepted`);
} else if (changes.length > 0) {
  console.log('If they should: npm run golden -- --accept "why"');
  process.exitCode = EXIT_DIFFERENT;
} else {
  console.log(`${names.length} as they were`);
}
