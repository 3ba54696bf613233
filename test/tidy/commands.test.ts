/**
 * Commands of the documents have options that exist, scenarios in them are valid, and links lead to
 * headings that are there. That commands in `console` blocks work is for scenario/pages.test.ts.
 */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { CommanderError } from 'commander';
import type { Command } from 'commander';
import { parseAllDocuments } from 'yaml';
import { loadFabric } from '../../services/cli/load-fabric.js';
import { TOPICS } from '../../services/cli/topics.js';
import { scenarioJsonSchema } from '../../services/fabric/scenario/catalogue.js';
import { loadScenario } from '../../services/fabric/scenario/load-scenario.js';
import { readValues } from '../../services/cli/kubernetes/values.js';
import { program } from '../../services/cli/program.js';
import { spelledWords } from '../../services/cli/spelled-words.js';
import { ROOT } from '../kit/emulate.js';
import type { Block } from '../kit/page.js';
import { blocksOf, PAGES } from '../kit/page.js';
import { shellWords } from '../kit/shell-words.js';
import { textOf } from './files.js';

/** What a part of a scenario is put on where its block names nothing else. */
const BASE = 'examples/leaf-spine-all-to-all.yaml';
/** Prose names commands without their arguments. */
const LEFT_OUT = new Set(['commander.missingArgument', 'commander.missingMandatoryOptionValue']);
const WITH_SCENARIO = new Set(['run', 'validate', 'size', 'topology', 'managed', 'duel', 'hunt']);

interface Spoken {
  readonly page: string;
  readonly words: readonly string[];
  readonly isWhole: boolean;
}

/** Lines of blocks and spans of prose that call the program. */
function commandsOf(page: string): Spoken[] {
  const text = textOf(page);
  const lines = blocksOf(page)
    .filter(({ language }) => language === 'console' || language === 'sh')
    .flatMap(({ text: block }) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/^\$ /, '').replace(/^npm start -- /, 'selvage '))
    .filter((line) => line.startsWith('selvage '));
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  const spans = Array.from(prose.matchAll(/`(selvage(?: [^`…]+)?)`/g), ([, span]) => span!);
  return [
    ...lines.map((line) => ({
      page,
      words: spelledWords(shellWords(line).slice(1)),
      isWhole: true,
    })),
    ...spans.map((line) => ({
      page,
      words: spelledWords(shellWords(line).slice(1)),
      isWhole: false,
    })),
  ];
}

/** The program of the command line, in which a command does nothing but say what it was given. */
function idleProgram(called: (command: Command) => unknown): Command {
  const root = program();
  const makeIdle = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: String, writeOut: String });
    command.commands.forEach(makeIdle);
    if (command.commands.length === 0) {
      command.action((...given: unknown[]) => {
        called(given.at(-1) as Command);
      });
    }
  };
  makeIdle(root);
  return root;
}

function parsed(words: readonly string[]): Command | CommanderError {
  const called: Command[] = [];
  const idle = idleProgram((command) => called.push(command));
  try {
    idle.parse(words, { from: 'user' });
    return called.at(-1) ?? idle;
  } catch (error) {
    if (error instanceof CommanderError) return error;
    throw error;
  }
}

describe('commands of the documents', () => {
  const spoken = PAGES.flatMap(commandsOf);

  it('are commands of the program, with options that it has', () => {
    assert.ok(spoken.length > 100);
    const wrong = spoken.flatMap(({ page, words, isWhole }) => {
      const result = words.length === 0 ? null : parsed(words);
      if (!(result instanceof CommanderError) || result.exitCode === 0) return [];
      if (!isWhole && LEFT_OUT.has(result.code)) return [];
      return [`${page}: selvage ${words.join(' ')}: ${result.message}`];
    });
    assert.deepEqual(wrong, []);
  });

  it('name examples that are valid with their settings', () => {
    const wrong = spoken.flatMap(({ page, words }) => {
      const command = words.length === 0 ? null : parsed(words);
      if (command === null || command instanceof CommanderError) return [];
      const file = command.args.find((word) => /^examples\/.*\.yaml$/.test(word));
      if (file === undefined) return [];
      if (!existsSync(join(ROOT, file))) return [`${page}: ${file}`];
      if (!WITH_SCENARIO.has(command.name())) return [];
      const { set = [] } = command.opts<{ set?: string[] }>();
      return faultOf(`${page}: ${words.join(' ')}`, () => loadFabric(join(ROOT, file), set));
    });
    assert.deepEqual(wrong, []);
  });

  it('are in blocks that are run (console) or at least parsed (sh)', () => {
    const wrong = PAGES.filter((page) => /^```\n[^`]*?^(\$ )?selvage /m.test(textOf(page)));
    assert.deepEqual(wrong, []);
  });
});

describe('YAML of the documents', () => {
  for (const page of PAGES) {
    const blocks = blocksOf(page).filter(({ language }) => language === 'yaml');
    if (blocks.length === 0) continue;
    it(`of ${page} is valid`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'selvage-yaml-'));
      symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'));
      for (const { name, text } of blocksOf(page)) {
        if (name !== undefined) writeFileSync(join(folder, name), text);
      }
      const wrong = blocks.flatMap((block) =>
        faultOf(`${page}: ${block.text}`, () => {
          check(block, folder);
        }),
      );
      rmSync(folder, { recursive: true });
      assert.deepEqual(wrong, []);
    });
  }

  /** A scenario, a part of one, a manifest of Kubernetes, or values for one. */
  function check({ name, text, base = BASE }: Block, folder: string): void {
    if (name?.endsWith('values.yaml') === true) {
      readValues(join(folder, name));
      return;
    }
    const documents = parseAllDocuments(text);
    for (const document of documents) if (document.errors.length > 0) throw document.errors[0]!;
    const [first] = documents.map((document) => document.toJS() as object);
    if ('apiVersion' in first! || 'services' in first!) return;
    const head = `selvage: 1\nextends: ${base}\n${'expect' in first! ? '' : 'expect: []\n'}`;
    writeFileSync(join(folder, 'part.yaml'), 'selvage' in first! ? text : head + text);
    loadFabric(join(folder, 'part.yaml'), []);
  }
});

describe('YAML in sentences', () => {
  // Plugins are files that the blocks of their pages have.
  const KEYS = Object.keys(scenarioJsonSchema().properties!)
    .filter((key) => key !== 'plugins')
    .join('|');
  const span = new RegExp(String.raw`\x60((?:${KEYS}): [{[][^\x60]*[}\]])\x60`, 'g');
  const texts = new Map(PAGES.map((page) => [page, textOf(page)]));
  texts.set('services/cli/topics.ts', Object.values(TOPICS).join('\n'));

  it('is valid, as far as a sentence shows it', () => {
    const spans = [...texts].flatMap(([page, text]) =>
      Array.from(text.matchAll(span), ([, yaml]) => ({ page, yaml: yaml!.replace(/\n */g, ' ') })),
    );
    const whole = spans.filter(({ yaml }) => !yaml.includes('…'));
    assert.ok(whole.length > 20, String(whole.length));
    const folder = mkdtempSync(join(tmpdir(), 'selvage-span-'));
    symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'));
    const wrong = whole.flatMap(({ page, yaml }) =>
      faultOf(`${page}: ${yaml}`, () => {
        writeFileSync(join(folder, 'part.yaml'), `selvage: 1\nextends: ${BASE}\n${yaml}\n`);
        loadScenario(join(folder, 'part.yaml'));
      }),
    );
    rmSync(folder, { recursive: true });
    assert.deepEqual(wrong, []);
  });
});

function faultOf(what: string, act: () => unknown): string[] {
  try {
    act();
    return [];
  } catch (error) {
    return [`${what}: ${(error as Error).message}`];
  }
}

it('links to a heading find it', () => {
  const dead = PAGES.flatMap((page) =>
    Array.from(textOf(page).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g), ([, file, anchor]) => {
      const target = file === '' ? page : normalize(join(dirname(page), file!));
      return anchorsOf(target).includes(anchor!) ? [] : [`${page}: ${file!}#${anchor!}`];
    }).flat(),
  );
  assert.deepEqual(dead, []);
});

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  if (!page.endsWith('.md')) return [];
  return Array.from(textOf(page).matchAll(/^#+ (.*)$/gm), ([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
