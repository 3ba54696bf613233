import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CongestionControl, Connection } from '../../../services/plugins/api.js';
import { pluginOf } from '../../../services/plugins/plugins.js';
import { evaluate } from '../../../services/plugins/evaluate.js';
import { sha256Of, UnusablePlugin } from '../../../services/plugins/source.js';
import { reasonOf } from '../../../services/plugins/thrown.js';
import { BALANCING, CONTROL, control, LOAD, MARKING } from './written-plugins.js';

function problemOf(text: string, file = 'x.mjs'): string {
  try {
    pluginOf({ file, sha256: sha256Of(text), text });
  } catch (error) {
    if (error instanceof UnusablePlugin) return error.message;
    throw error;
  }
  return 'no problem';
}

const changed = (from: string, to: string, text = CONTROL): string => {
  assert.ok(text.includes(from), from);
  return problemOf(text.replace(from, () => to));
};

describe('a plugin', () => {
  it('is a congestion control, a load, a marking or a load balancing', () => {
    for (const text of [CONTROL, LOAD, MARKING, BALANCING]) {
      assert.equal(problemOf(text), 'no problem');
    }
  });

  it('has one default export and nothing beside it', () => {
    assert.match(problemOf('export const x = 1;\n'), /^x\.mjs: no default export; write/);
    assert.match(problemOf(''), /^x\.mjs: no default export/);
    assert.match(problemOf(`import 'node:fs';\n${CONTROL}`), /^x\.mjs:1:1: .*imports nothing/);
    assert.match(problemOf(`${CONTROL}\nexport const y = 1;\n`), /exports nothing else/);
    assert.match(problemOf('export default 7;'), /the default export is no object of keys: 7/);
    assert.match(problemOf('export default () => 1;'), /no object of keys: a function/);
    assert.match(problemOf('export default Symbol.iterator;'), /no object of keys: Symbol/);
  });

  it('has its export anywhere in a line, outside of texts', () => {
    assert.equal(problemOf(`const a = 1; ${CONTROL}`), 'no problem');
    assert.equal(problemOf(`/* one */ ${CONTROL.replace(' default', '   default')}`), 'no problem');
    assert.equal(problemOf(`const a = \`\nexport default 1\`;\n${CONTROL}`), 'no problem');
    assert.match(problemOf(`await 1; ${CONTROL}`), /^x\.mjs:1:1: await: a call returns at once/);
    assert.match(problemOf(`${CONTROL}${CONTROL}`), /^x\.mjs:14:1: .*one default export/);
  });

  it('says where it is wrong JavaScript, or throws while it is loaded', () => {
    assert.match(problemOf('const = 1;\nexport default {};\n'), /^x\.mjs:1: Unexpected token/);
    assert.match(problemOf(`\n  gone();\n${CONTROL}`), /^x\.mjs:2:3: gone is not defined$/);
    assert.match(problemOf(`throw 'no';\n${CONTROL}`), /^x\.mjs: no$/);
  });

  it('keeps nothing where a checkpoint does not see it, and has no chance and no clock', () => {
    assert.match(problemOf(`const a = 1;\nlet count = 0;\n${CONTROL}`), /^x\.mjs:2:1: a variable/);
    assert.match(problemOf(`const t = Date.now();\n${CONTROL}`), /:1:16: Date differs from run/);
    assert.match(problemOf(`const t = new Date();\n${CONTROL}`), /Date differs from run to run/);
    assert.match(problemOf(`const t = Math.random();\n${CONTROL}`), /Math\.random differs/);
    assert.match(problemOf(`const t = process.env;\n${CONTROL}`), /process is not defined/);
    assert.match(problemOf(`x = 1;\n${CONTROL}`), /x is not defined/);
    assert.match(problemOf(`globalThis.x = 1;\n${CONTROL}`), /not extensible/);
    assert.match(problemOf(`Object.prototype.x = 1;\n${CONTROL}`), /not extensible/);
    assert.match(problemOf(`Array.prototype.x = 1;\n${CONTROL}`), /not extensible/);
  });

  it('does not change what the file declares, once it is loaded', () => {
    const changes = (file: string, change: string): string => {
      const text = `${file}\n${CONTROL.replace('connection.state.count++', () => change)}`;
      const { acknowledged } = pluginOf({
        file: 'x.mjs',
        sha256: sha256Of(text),
        text,
      }) as CongestionControl;
      const connection = { state: { count: 0 } } as unknown as Connection;
      try {
        acknowledged!(connection, { roundTripPs: 1, hostPs: 0, packets: 1 });
      } catch (error) {
        return reasonOf(error);
      }
      return 'no problem';
    };
    const frozen = /(read only property .*|not extensible); what is kept outside of state/;
    assert.match(changes('const seen = [];', 'seen.push(1)'), frozen);
    assert.match(changes('const seen = { a: { b: 1 } };', 'seen.a.b++'), frozen);
    assert.match(changes('const seen = new Map([[1, {}]]);', 'seen.set(2, 1)'), frozen);
    assert.match(changes('class Seen { static count = 0; }', 'Seen.count++'), frozen);
    assert.match(changes('function seen() {}', 'seen.count = 1'), frozen);
    assert.equal(changes('const table = new Map([[1, 2]]);', 'table.get(1)'), 'no problem');
    assert.equal(changes('const own = [1];\nown.push(2);', '[...own].sort()'), 'no problem');
    assert.equal(changes('const gains = Float64Array.of(1, 2);', 'gains[1]'), 'no problem');
  });

  it('does nothing after a call has returned', () => {
    const later = (code: string): string => problemOf(`const f = () => ${code};\n${CONTROL}`);
    assert.match(later("import('node:fs')"), /^x\.mjs:1:17: import\(: a call returns at once/);
    assert.match(later('Promise.reject(1)'), /^x\.mjs:1:17: Promise: a call returns at once/);
    assert.match(problemOf(`const f = async () => 1;\n${CONTROL}`), /:1:11: async: /);
    // Words in comments and texts are none of the language.
    assert.equal(later("'no async, no Promise' // nor await"), 'no problem');
  });

  it('ends: a file that does not is refused after some time', () => {
    const text = `for (;;);\n${CONTROL}`;
    const evaluated = (): unknown => evaluate({ file: 'x.mjs', sha256: sha256Of(text), text }, 50);
    assert.throws(evaluated, new UnusablePlugin('x.mjs: does not return within 0.05 s'));
  });

  it('whose keys throw when they are read is refused', () => {
    const proxy = 'export default new Proxy({}, { get() { throw new Error("gone"); } });\n';
    assert.match(problemOf(proxy), /^x\.mjs: it throws where its keys are read: gone$/);
    assert.match(
      changed('acknowledged(', 'get sent() { throw 1; }, acknowledged('),
      /are read: 1$/,
    );
  });

  it('is of the version of the API that there is', () => {
    assert.match(changed('api: 1', 'api: 2'), /^x\.mjs: api is 2; this version of selvage has/);
    assert.match(changed('api: 1,', ''), /api is nothing; .*write api: 1/);
    assert.match(changed('api: 1', "api: '1'"), /^x\.mjs: api is '1'; this version/);
  });

  it('has the shape that the API gives it', () => {
    const cases: readonly (readonly [from: string, to: string, problem: RegExp])[] = [
      [
        "kind: 'congestion-control'",
        "kind: 'control'",
        /kind is control; one of congestion-control, load, marking, balancing, arbiter/,
      ],
      ["name: 'wait'", "name: 'My Control'", /name is My Control; write lower-case/],
      ["help: 'Waits.'", "help: ''", /help is missing; write a sentence/],
      [
        "'acknowledgements'",
        "'silence'",
        /feedback is silence; one of acknowledgements, echoes, marks/,
      ],
      ["'acknowledgements'", "'marks'", /marked is missing: with feedback: 'marks'/],
      ['acknowledged(', 'acknowleged(', /acknowleged is unknown; .*did you mean acknowledged\?/],
      ['acknowledged(', 'async acknowledged(', /^x\.mjs:\d+:3: async: a call returns at once/],
      ['acknowledged(', '*acknowledged(', /acknowledged must return at once/],
      ['acknowledged(', 'lost: 7, acknowledged(', /lost is no function: 7/],
      ['acknowledged(', 'marked() {}, acknowledged(', /marked would never be called/],
      ['count: 0', 'count: []', /state\.count is a list; state is numbers/],
      ['count: 0', 'count: NaN', /state\.count is NaN/],
      ['count: 0', 'Count: 0', /state\.Count: a field begins with a lower-case letter/],
      ["unit: 'time'", "unit: 'hours'", /settings\.gap: unit is hours; one of time, rate/],
      ["default: '1us'", 'default: 1', /settings\.gap\.default: not a time: 1/],
      ["default: '1us'", "default: '1us', max: '1ns'", /settings\.gap\.default: out of range: 1us/],
      ["default: '1us'", "default: '1us', min: '9us', max: '8us'", /min 9us is above max 8us/],
      ["default: '1us'", "default: '1us', least: 1", /settings\.gap\.least is unknown/],
      ["help: 'Time.'", '', /settings\.gap\.help is missing/],
      ['gap:', "'a gap':", /settings\.a gap: a key begins with a lower-case letter/],
    ];
    for (const [from, to, problem] of cases) assert.match(changed(from, to), problem, to);
  });

  it('of a load has flows, and no keys of its own that every load has', () => {
    assert.match(changed('*flows(', 'async *flows(', LOAD), /async: a call returns at once/);
    assert.match(changed('*flows(', 'floes() {}, *flows(', LOAD), /floes is unknown/);
    assert.match(
      changed('settings: {', "settings: { hosts: { unit: 'size', default: 1, help: 'x' },", LOAD),
      /settings\.hosts: every such plugin has that key/,
    );
  });

  it('of a switch has what it is asked, and the state that it declares', () => {
    const cases: readonly (readonly [text: string, from: string, to: string, problem: RegExp])[] = [
      [MARKING, "at: 'enqueue'", "at: 'noon'", /at is noon; one of enqueue, dequeue/],
      [MARKING, 'marks(', 'mark(', /mark is unknown; .*did you mean marks\?/],
      [MARKING, 'marks() { return true; },', '', /marks is no function: nothing/],
      [MARKING, 'state: {}', 'state: { a: "b" }', /state\.a is b; state is numbers/],
      [BALANCING, 'chooses()', '*chooses()', /chooses must return at once/],
      [BALANCING, 'slots: 8', 'slots: 0', /flows\.slots is 0; write 1 to 65536/],
      [BALANCING, 'slots: 8', 'slots: 8, size: 1', /flows\.size is unknown/],
      [BALANCING, '{ at: 0 }', '[]', /flows\.state is no object of keys/],
    ];
    for (const [text, from, to, problem] of cases)
      assert.match(changed(from, to, text), problem, to);
  });

  it('is refused where its text is not the one that was hashed', () => {
    const other = control('other');
    assert.throws(
      () => pluginOf({ file: 'x.mjs', sha256: sha256Of(CONTROL), text: `${other} ` }),
      /^Error: x\.mjs: its text has the SHA-256 [0-9a-f]{64}, not [0-9a-f]{64}$/,
    );
  });

  it('in TypeScript needs a Node that strips types, or says so', () => {
    const typed = CONTROL.replace('(connection)', '(connection: { rateBps: number })');
    const problem = problemOf(`${typed.trimEnd().slice(0, -1)} as const;\n`, 'x.ts');
    const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
    if (major > 23 || (major === 22 && minor >= 13)) assert.equal(problem, 'no problem');
    else assert.match(problem, /^x\.ts: Node \S+ cannot strip types; use Node 22\.18 or later, or/);
  });
});
