/** What a newcomer does first: an empty folder, templates, help, completion, doctor. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { program } from '../../services/cli/program.js';
import { ROOT } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');
const TEMPLATES = readdirSync(join(ROOT, 'examples/templates')).map((name) =>
  name.replace('.yaml', ''),
);

function skipWithout(shell: string): string | false {
  return spawnSync(shell, ['--version']).error === undefined ? false : `${shell} is not here`;
}

describe('the first steps', () => {
  let folder = '';
  const selvage = (...words: string[]): { code: number | null; out: string; err: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { code: status, out: stdout, err: stderr };
  };

  const examplesIn = (help: string): string[] =>
    help.split('\nExamples:\n')[1]?.trimEnd().split('\n') ?? [];

  /** As `--help` prints it, without a process for each. */
  const helpOf = (...words: string[]): string => {
    let text = '';
    let command = program();
    for (const word of words) command = command.commands.find((own) => own.name() === word)!;
    command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    return text;
  };

  /** Two lines that begin with the command, with options that it has. */
  const checkExamples = (...command: string[]): void => {
    const help = helpOf(...command);
    const examples = examplesIn(help);
    assert.equal(examples.length, 2, command.join(' '));
    for (const line of examples) {
      assert.ok(line.startsWith(`  selvage ${command.join(' ')}`), line);
      const [words] = line.split(/ +# /);
      if (command.join(' ') === 'k8s') continue;
      for (const [option] of words!.matchAll(/--[a-z-]+/g)) assert.ok(help.includes(option), line);
    }
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'selvage-start-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('lead from an empty folder to a scenario, and from there to a run', () => {
    assert.match(selvage().out, /^There is no scenario in this folder\.\n {2}selvage init /);
    assert.equal(selvage('init').code, 0);
    assert.match(selvage().out, /^Next:\n {2}selvage run scenario\.yaml /);
  });

  for (const name of TEMPLATES) {
    it(`the template ${name} is sound and holds what it expects`, () => {
      assert.equal(selvage('init', `${name}.yaml`, '--template', name).code, 0);
      const template = readFileSync(join(folder, `${name}.yaml`), 'utf8');
      assert.match(template, /^# yaml-language-server: \$schema=scenario\.schema\.json\n/);
      assert.doesNotMatch(template, /FILE/);
      assert.equal(selvage('validate', '--strict', `${name}.yaml`).code, 0);
      const out = join('runs', name);
      const words = ['run', `${name}.yaml`, '--out', out, '--no-parquet', '--check'];
      const { code, out: text, err } = selvage(...words);
      assert.equal(code, 0, `${text}\n${err}`);
      const [, next] = text.split('\nNext\n');
      const steps = next!.trimEnd().split('\n');
      assert.equal(steps.length, 4);
      assert.match(steps.at(-1)!, /^ {2}selvage report \S+ --open {2,}its report, in a browser$/);
    });
  }

  it('name the templates that there are', () => {
    const { code, err } = selvage('init', 'other.yaml', '--template', 'Incast');
    assert.equal(code, 2);
    assert.match(err, /unknown template: Incast; there is .*; did you mean incast\?/);
  });

  it('show commands in groups, each with two examples of options that it has', () => {
    const { out } = selvage('--help');
    assert.doesNotMatch(out, /^Commands:\n(?! {2}help )/m);
    const names = [...out.matchAll(/^ {2}([a-z0-9]+)(?: \[| <| {2})/gm)].map(([, name]) => name!);
    assert.ok(names.length > 25);
    for (const name of names.filter((each) => each !== 'help')) {
      checkExamples(name);
    }
  });

  it('show examples that hold for the templates', () => {
    const commands = ['branch', 'why', 'trace', 'inspect', 'sweep', 'neighbors', 'dcbx', 'paths'];
    for (const command of commands) {
      for (const line of examplesIn(helpOf(command))) {
        const [words] = line.split(/ +# /);
        // The newest run has no 82599.
        if (words!.trim() === 'selvage inspect h1') continue;
        const script = `selvage() { '${process.execPath}' '${MAIN}' "$@"; }; ${words}`;
        const { status, stderr } = spawnSync('sh', ['-c', script], {
          cwd: folder,
          encoding: 'utf8',
        });
        assert.equal(status, 0, `${line}\n${stderr}`);
      }
    }
  });

  it('show examples of the commands of a cluster', () => {
    const { out } = selvage('k8s', '--help');
    const [, list = ''] = /^Commands:\n(.*?)\n\n/ms.exec(out) ?? [];
    const names = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name!);
    assert.ok(names.length > 14);
    for (const name of names.filter((each) => each !== 'help')) checkExamples('k8s', name);
  });

  it('are suggested in any case of letters', () => {
    assert.match(selvage('RUN').err, /unknown command 'RUN'\n\(Did you mean run\?\)\n$/);
    assert.match(selvage('Validat').err, /\(Did you mean validate\?\)\n$/);
    assert.match(selvage('k8s', 'Lst').err, /\(Did you mean list\?\)\n$/);
    assert.match(selvage('zzz').err, /^error: unknown command 'zzz'\n$/);
  });

  it('complete commands and options in each shell, and refuse others', () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, out } = selvage('completion', shell);
      assert.equal(code, 0);
      assert.match(out, /validate/);
      assert.match(out, /template/);
    }
    assert.equal(selvage('completion', 'tcsh').code, 2);
  });

  it('complete in bash', () => {
    const script = `${selvage('completion', 'bash').out}
      COMP_WORDS=(selvage init --te) COMP_CWORD=2; _selvage; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(selvage topo) COMP_CWORD=1; _selvage; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(selvage k8s ren) COMP_CWORD=2; _selvage; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(selvage k8s run --namesp) COMP_CWORD=3; _selvage; echo "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    assert.equal(stdout, '--template\ntopology\nrender\n--namespace\n');
  });

  it('complete in zsh', { skip: skipWithout('zsh') }, () => {
    // Completion widgets exist in a terminal only: these print what they are given.
    const script = `compdef() { }; _files() { print files }
      _describe() { local -a all; all=(\${(P)@[-1]}); print -l -- \${(M)all:#\${words[CURRENT]}*} }
      ${selvage('completion', 'zsh').out}
      words=(selvage topo) CURRENT=2; _selvage
      words=(selvage init --te) CURRENT=3; _selvage
      words=(selvage k8s ren) CURRENT=3; _selvage
      words=(selvage k8s run --namesp) CURRENT=4; _selvage
      words=(selvage run exam) CURRENT=3; _selvage`;
    const { stdout, stderr } = spawnSync('zsh', ['-fc', script], { encoding: 'utf8' });
    const found = stdout.split('\n').map((line) => line.split(':')[0]);
    const wanted = ['topology', '--template', 'render', '--namespace', 'files', ''];
    assert.deepEqual(found, wanted, stderr);
  });

  it('complete in fish', { skip: skipWithout('fish') }, () => {
    const script = `${selvage('completion', 'fish').out}
      for line in 'topo' 'init --te' 'k8s ren' 'k8s run --namesp'
        complete -C "selvage $line"
      end`;
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
      encoding: 'utf8',
    });
    const found = stdout.split('\n').map((line) => line.split('\t')[0]);
    assert.deepEqual(found, ['topology', '--template', 'render', '--namespace', ''], stderr);
  });

  it('say what the machine has', () => {
    const { code, out } = selvage('doctor', '--json');
    assert.equal(code, 0);
    const found = JSON.parse(out) as { what: string; found: string | null }[];
    assert.equal(found.find(({ what }) => what === 'Node.js')!.found, process.versions.node);
    assert.match(selvage('doctor').out, /Node\.js/);
  });
});
