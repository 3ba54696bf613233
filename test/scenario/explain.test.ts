import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it, mock } from 'node:test';
import { FAULT_KEYS } from '../../services/fabric/scenario/schema-faults.js';
import { describeScenario } from '../../services/fabric/scenario/catalogue.js';
import { METRICS } from '../../services/fabric/scenario/metrics.js';
import { explainCommand } from '../../services/cli/commands/explain.js';
import { EXIT } from '../../services/cli/exit.js';
import { ALIASES, LOAD_EXAMPLES, TOPICS } from '../../services/cli/topics.js';
import { fabricOf, ROOT } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');

/** What it prints, in this process: a start of the program for each word takes minutes. */
function explain(term: string | undefined, json = false): string {
  let text = '';
  const written = mock.method(process.stdout, 'write', (part: string): boolean => {
    text += part;
    return true;
  });
  const { exitCode } = process;
  try {
    explainCommand(term, { json, plugin: [] });
  } finally {
    written.mock.restore();
    process.exitCode = exitCode;
  }
  return text;
}

/** Topics that a term leads to. */
function found(term: string): string[] {
  return (JSON.parse(explain(term, true)) as { topic: string }[]).map(({ topic }) => topic);
}

describe('selvage explain', () => {
  it('finds terms in any case, by other names, and by what a topic mentions', () => {
    for (const [term, topic] of [
      ['ECMP', 'ecmp'],
      ['RoCE', 'reliable'],
      ['PFC deadlock', 'deadlock'],
      ['Incast', 'load[].incast'],
      ['802.1Qbb', 'pfc'],
      ['CNP', 'dcqcn'],
      ['head of line blocking', 'victim'],
      ['RED', 'ecn'],
      ['PG', 'priority-group'],
      ['TSA', 'ets'],
      ['buffers', 'switches.buffer'],
      ['Exit codes', 'exit-codes'],
      ['spine-leaf', 'fabric.generator'],
      ['HoL blocking', 'victim'],
      ['LLFC', 'pause'],
      ['allreduce', 'load[].all-reduce'],
      ['NVMe-oF', 'reliable'],
      ['host', 'hosts'],
      ['TCP', 'not-emulated'],
      ['lookahead', 'partition'],
    ] as const) {
      assert.equal(explain(term).split('\n')[0], topic, term);
    }
    const line = [MAIN, 'explain', 'head', 'of', 'line', 'blocking'];
    const { stdout } = spawnSync(process.execPath, line, { encoding: 'utf8' });
    assert.equal(stdout.split('\n')[0], 'victim');
  });

  it('has a topic, a metric or a key behind every other name', () => {
    const all = JSON.parse(explain(undefined, true)) as { topic: string }[];
    const topics = new Set(all.map(({ topic }) => topic));
    assert.deepEqual(
      Object.values(ALIASES).filter((topic) => !topics.has(topic)),
      [],
    );
  });

  it('knows every key and metric: as it lists them, by their last word, and as files have them', () => {
    const keys = describeScenario([]).map(({ path }) => path);
    const asWritten = (path: string): string => path.replaceAll('[]', '.0').replaceAll('.*', '.3');
    const unknown = [...keys, ...Object.keys(METRICS)].filter(
      (path) => !found(path).includes(path) || !found(asWritten(path)).includes(path),
    );
    assert.deepEqual(unknown, []);
    const words = keys
      .map((path) => path.split('.').pop()!)
      .filter((word) => !word.startsWith('*'));
    const nameless = [...new Set(words)].filter((word) => found(word).length === 0);
    assert.deepEqual(nameless, []);
  });

  it('finds keys by the names that standards give them', () => {
    assert.ok(found('sfcmMinInterval').includes('sfc.minInterval'));
    assert.deepEqual(found('6P2D'), ['ports[].pcp']);
    assert.throws(() => found('sfcMinInterval'), /nothing is called sfcMinInterval/);
  });

  it('knows every kind of fault', () => {
    for (const [kind, { effect, must }] of Object.entries(FAULT_KEYS)) {
      const text = explain(`faults.${kind}`, true);
      const [{ topic, text: own }] = JSON.parse(text) as [{ topic: string; text: string }];
      assert.equal(topic, `faults.${kind}`);
      assert.ok(own.includes(effect), kind);
      for (const key of must) assert.match(own, new RegExp(`\\b${key}\\b`), kind);
    }
    assert.equal(explain('steal-credit').split('\n')[0], 'faults.steal-credit');
  });

  it('knows every exit code', () => {
    for (const code of Object.values(EXIT))
      assert.match(TOPICS['exit-codes']!, new RegExp(`\\b${code}: `));
  });

  it('shows a key of the fabric, and of one device, once', () => {
    const [first, ...rest] = explain('xonGap').split('\n');
    assert.equal(first, 'priorities.*.xonGap');
    assert.match(rest.join(' '), /For one device: devices\.\*\.priorities\.\*\.xonGap\./);
  });

  it('shows a load that can be run, and which keys may stand beside it', () => {
    for (const [kind, example] of Object.entries(LOAD_EXAMPLES)) {
      if (kind === 'replay') continue;
      const fabric = fabricOf(
        `fabric: { generator: star, hosts: 9 }\nduration: 1ms\nload: [${example}]\n`,
      );
      assert.ok(fabric.scenario.load.length === 1, kind);
    }
    const text = explain('incast');
    assert.match(text, /Example: load: \[\{ incast: /);
    assert.match(text, /Beside it: rate, [^]*priority/);
  });
});
