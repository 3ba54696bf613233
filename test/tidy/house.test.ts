/** Rules of the house that neither compiler nor linter knows. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { it } from 'node:test';
import { filesMatching, foldersIn, linesOf, sourcesNamedIn, textOf } from './files.js';

const SOURCE = /\.(tsx?|mjs|cjs|js)$/;
const LINES_MAX = 600;
const COLUMNS_MAX = 100;

/** A slice, from its keys in the scenario to what its actors execute. */
/** One whose keys are of priorities, such as those of pauses, has no settings of its own. */
const OWN_KEYS = /\b(section|priority|settings):/;
/** The data path of a switch, which the engine has itself. */
const MVTX2802 = 'services/engine/mvtx2802';
/** Of what chooses among equal routes: it has no machine beside the state of its switch. */
const BALANCING_FILES = ['README.md', 'balancing.ts'];
const ACTOR_FILES = ['README.md', 'machine.ts', 'mechanism.ts', 'invariants.ts'];

/** A source is named as what it is compiled to. */
function withoutSuffix(path: string): string {
  return path.replace(/\.tsx?$/, '');
}

function assertNone(offenders: readonly string[]): void {
  assert.deepEqual(offenders, []);
}

it('nothing is left to do later: it is done, or it is in the issue tracker', () => {
  const texts = filesMatching(/\.(ts|mjs|cjs|js|md|yaml|yml|json|proto)$/);
  assertNone(texts.filter((path) => /\b(TO[D]O|FIX[M]E)\b/.test(textOf(path))));
});

it('a source fits in one head: 600 lines at most, of 100 columns', () => {
  const sources = filesMatching(SOURCE);
  assertNone(sources.filter((path) => linesOf(path).length > LINES_MAX));
  assertNone(
    sources.flatMap((path) =>
      linesOf(path).flatMap((line, index) =>
        // A test may quote a line of a scenario that is longer.
        line.length > COLUMNS_MAX && !path.startsWith('test/') ? [`${path}:${index + 1}`] : [],
      ),
    ),
  );
});

it('the second oracle reads like the clauses: 5,000 lines at most', () => {
  const sources = filesMatching(SOURCE).filter((path) => path.startsWith('services/oracle/'));
  const lines = sources.reduce((sum, path) => sum + linesOf(path).length, 0);
  assert.ok(lines <= 5000, `services/oracle has ${lines} lines`);
});

function filesOfSlice(folder: string): string[] {
  return OWN_KEYS.test(textOf(`${folder}/slice.ts`)) ? ['settings.ts', 'slice.ts'] : ['slice.ts'];
}

it('a slice has the files of a slice, and all of an actor or (where the engine has it) none', () => {
  assertNone(
    [...foldersIn('services/mechanisms'), MVTX2802].flatMap((folder) => {
      const names = readdirSync(folder);
      if (names.includes('balancing.ts')) {
        const wanted = [...filesOfSlice(folder), ...BALANCING_FILES];
        return wanted
          .filter((name) => !names.includes(name))
          .map((name) => `${folder} has no ${name}`);
      }
      const isActor = ACTOR_FILES.some((name) => names.includes(name));
      const ofSlice = folder === MVTX2802 ? [] : filesOfSlice(folder);
      const wanted = isActor ? [...ofSlice, ...ACTOR_FILES] : ofSlice;
      return wanted
        .filter((name) => !names.includes(name))
        .map((name) => `${folder} has no ${name}`);
    }),
  );
});

it('what a mechanism shows of a run is in its card.ts', () => {
  const showing = filesMatching(/^services\/mechanisms\/[^/]+\/slice\.ts$/).filter((path) =>
    /^ {2}cards[:(]/m.test(textOf(path)),
  );
  assert.ok(showing.length > 5);
  const cards = (path: string): string => path.replace(/[^/]+$/, 'card.ts');
  assertNone(showing.filter((path) => !sourcesNamedIn(path).includes(cards(path))));
});

it('an example is mentioned in the documentation', () => {
  const documents = filesMatching(/^(README\.md|docs\/.*\.md|examples\/README\.md)$/)
    .map(textOf)
    .join('\n');
  const examples = filesMatching(/^examples\/[^/]+\.(yaml|json)$/);
  assertNone(examples.filter((path) => !documents.includes(basename(path))));
});

it('a source is used by another, unless it is an entry point or a test', () => {
  const sources = filesMatching(/^(services|bench|test)\/.*\.tsx?$/);
  const users = [...sources, 'services/build/bundle.mjs'];
  const used = new Set(users.flatMap(sourcesNamedIn).map(withoutSuffix));
  const starts =
    /(^services\/[^/]+\/main|^test\/((causes|generate|golden|cluster|mutants)\/main|mutants\/(judge|survey)|kit\/(prepared|deep\/main))|^bench\/(main|case|distributed|scaling|page|cuts|echo|alone|bare-star-node|whole-run)|\.test)\.tsx?$/;
  const isUsed = (path: string): boolean => used.has(withoutSuffix(path));
  assertNone(sources.filter((path) => !isUsed(path) && !starts.test(path)));
});

it('a name that a source exports is used by a source that imports it', () => {
  const users = new Map<string, string[]>();
  for (const path of filesMatching(/^(services|bench|test)\/.*\.(tsx?|mjs)$/)) {
    for (const named of sourcesNamedIn(path).map(withoutSuffix)) {
      users.set(named, [...(users.get(named) ?? []), textOf(path)]);
    }
  }
  const EXPORTED =
    /^export (?:abstract |async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
  // What other programs import; invariants, which a check calls by the names that it finds.
  const LEFT_OUT = /^services\/(library\/index|plugins\/api)\.ts$|invariants\.ts$/;
  const sources = filesMatching(/^services\/.*\.tsx?$/).filter((path) => !LEFT_OUT.test(path));
  assertNone(
    sources.flatMap((path) => {
      const texts = users.get(withoutSuffix(path)) ?? [];
      const isUsed = (name: string): boolean => {
        const word = new RegExp(`\\b${name}\\b`);
        return texts.some((text) => word.test(text));
      };
      const exported = Array.from(textOf(path).matchAll(EXPORTED), ([, name]) => name!);
      return exported.filter((name) => !isUsed(name)).map((name) => `${path}: ${name}`);
    }),
  );
});

it('an invariant is walked by a check: a test alone checks no run of a user', () => {
  const sources = filesMatching(/^services\/.*\.ts$/);
  const invariants = sources.filter((path) => path.endsWith('invariants.ts'));
  assertNone(
    invariants.flatMap((path) => {
      const users = sources.filter((other) => sourcesNamedIn(other).includes(path)).map(textOf);
      const isTaken = (name: string): boolean =>
        users.some((text) => text.includes(`${name}(`) || takesAllOf(text, basename(path)));
      const exported = textOf(path).matchAll(/^export function (\w+)/gm);
      const names = Array.from(exported, ([, name]) => name!);
      const own = (name: string): boolean => textOf(path).split(`${name}(`).length > 2;
      return names.filter((name) => !isTaken(name) && !own(name)).map((name) => `${path}: ${name}`);
    }),
  );
});

function takesAllOf(text: string, file: string): boolean {
  return text
    .split('\n')
    .some((line) => line.startsWith('import *') && line.includes(file.replace(/ts$/, 'js')));
}

it('the rooms of ARCHITECTURE are those of the linter, lowest first', () => {
  const ROOMS = /^const rooms = \[(.*?)^\];/ms;
  const [, list] = ROOMS.exec(textOf('.dependency-cruiser.cjs'))!;
  const linted = Array.from(list!.matchAll(/'([\w-]+)'/g), ([, room]) => room);
  const rows = linesOf('ARCHITECTURE.md').filter((line) => /^\| `[a-z]/.test(line));
  const table = rows.slice(0, rows.findIndex((line) => line.startsWith('| `cli`')) + 1);
  const named = table.flatMap((line) => {
    const [, folders] = line.split('|');
    // Of `engine/units`, `wire` the second is of the same room.
    return [...folders!.matchAll(/`([\w-]+)(\/[^`]*)?`/g)].map(([, room, rest], i) =>
      i > 0 && folders!.includes('/') && rest === undefined ? 'engine' : room,
    );
  });
  assert.deepEqual([...new Set(named)], linted);
  const folders = foldersIn('services').map((folder) => basename(folder));
  assert.deepEqual(folders.filter((name) => name !== 'build').sort(), [...linted].sort());
});

it('nothing compiled lies among the sources', () => {
  assertNone(filesMatching(/^(services|bench|test)\/.*(\.js|\.d\.ts|\.map)$/));
});

/**
 * Files that may mention a mechanism that is a slice, outside its folder, `wire` and the registry.
 */
const MENTIONS_MOST = 12;

interface Mention {
  readonly words: RegExp;
  readonly most: number;
  /** Files that are about it, too. */
  readonly also?: RegExp;
}

/**
 * How each mechanism is called in the sources, and, of those that are not yet slices, in how many
 * files. Such a number may only sink.
 */
const MENTIONED: Readonly<Record<string, Mention>> = {
  sfc: { words: /sfc|source[ _-]?flow[ _-]?control/i, most: MENTIONS_MOST },
  ci: {
    words: /\bci\b|\bCi[A-Z]|[Cc]ongestion[ _]?[Ii]solation|802\.1Qcz|\b(CIM|cim)s?\b/,
    most: MENTIONS_MOST,
  },
  hpcc: { words: /hpcc/i, most: MENTIONS_MOST },
  dcqcn: { words: /dcqcn/i, most: MENTIONS_MOST },
  timely: { words: /timely/i, most: MENTIONS_MOST },
  swift: { words: /swift/i, most: MENTIONS_MOST },
  qcn: { words: /(?<!dc)qcn|\bcn(m|pv)s?\b/i, most: MENTIONS_MOST },
  llr: { words: /\bllr|Llr[A-Z]|\bLLR|[a-z]Llr/, most: MENTIONS_MOST },
  // Files of a switch (`sonic`) have tables for it.
  // WRED of a configured queue marks in place of dropping.
  ecn: {
    words: /\b[Ee]cn|[a-z]Ecn|\bECN/,
    most: MENTIONS_MOST,
    also: /\/sonic\/|\/buffer\/wred|pooled-buffers|plan-pools|schema-buffer|worlds\/pools/,
  },
  pfc: {
    words: /pfc/i,
    most: MENTIONS_MOST,
    // DCBX negotiates it, in TLVs of its name (802.1Q 38); source flow control and congestion
    // isolation are defined by what it does (P802.1Qdw, 802.1Qcz). Thresholds and times of an
    // ingress buffer are those of PAUSE, too. Files of a switch have it in their tables, other
    // programs in a name of theirs, and scripts of testers in their frames. Maps of ports begin at
    // its priorities.
    also: /port-maps|assembly\/accounts|schema-ports|scenario\/scenario\.|worlds\/islands|\/sonic|\/otg\/|\/exports\/hpcc\/|discovery|\/mechanisms\/(pausing-settings|(sfc|ci)\/)/,
  },
  // Credit exchange may have its messages.
  cbfc: { words: /cbfc/i, most: MENTIONS_MOST, also: /\/mechanisms\/credit\// },
  credit: {
    words: /credit(?!Bytes)/i,
    most: MENTIONS_MOST,
    // Ultra Ethernet's flow control and transport, the arbiters of an 82599 and LLDP count in credits of their
    // own; discovery advertises credit exchange, in a TLV and by keys of its name.
    also: /runtime\/results\/published-objects|\/cbfc\/|\/uet\/|\/arbiter\/|nic-82599|\/(page-)?nics?(-text)?\.tsx?$|discovery/,
  },
  mvtx2802: { words: /mvtx2802/i, most: 5 },
  '82599': { words: /82599/i, most: 7 },
};

it('where PFC decides XOFF is found by one search for the two words', () => {
  const sources = filesMatching(/^services\/.*\.ts$/);
  const found = sources.flatMap((path) =>
    linesOf(path).filter((line) => /XOFF.*PFC|PFC.*XOFF/.test(line) && line.includes('decided')),
  );
  assert.equal(found.length, 1, found.join('\n'));
  const decides = sources.filter((path) => /^ {2}decideXoff\(/m.test(textOf(path)));
  assert.deepEqual(decides, ['services/mechanisms/pfc/pause-initiator.ts']);
});

it('a mechanism is one place: few sources outside its folder mention it', () => {
  const sources = filesMatching(/^services\//).filter(
    // The oracle recomputes what each of them does, on purpose; imports translate their names.
    (path) =>
      !/^services\/(engine\/wire\/|mechanisms\/registry\.ts|oracle\/|runtime\/checks\/deep\/|imports\/)/.test(
        path,
      ),
  );
  assertNone(
    Object.entries(MENTIONED).flatMap(([name, { words, most, also }]) => {
      const own = new RegExp(`/(nic-)?${name}/`);
      const outside = sources.filter(
        (path) => !own.test(path) && also?.test(path) !== true && words.test(textOf(path)),
      );
      const excess = outside.length > most ? `, at most ${most}: ${outside.join(', ')}` : '';
      return excess === '' ? [] : [`${name}: ${outside.length} files${excess}`];
    }),
  );
});
