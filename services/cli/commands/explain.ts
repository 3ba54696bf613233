import { FAULT_KEYS } from '../../fabric/scenario/schema-faults.js';
import { describeScenario } from '../../fabric/scenario/catalogue.js';
import { pluginOf } from '../../plugins/plugins.js';
import type { PluginSource } from '../../plugins/source.js';
import { didYouMean } from '../../settings/errors.js';
import { METRICS } from '../../fabric/scenario/metrics.js';
import { EXIT, InputError } from '../exit.js';
import { keysPage } from '../keys-page.js';
import type { PluginOptions } from '../named-plugins.js';
import { pluginsNamed } from '../named-plugins.js';
import { ALIASES, LOAD_EXAMPLES, TOPICS } from '../topics.js';

/** Without plugins: made once, as it takes a while. */
let usual: readonly Named[] | undefined;

const ALIAS_OF = new Map(Object.entries(ALIASES).map(([name, topic]) => [joined(name), topic]));

interface Explanation {
  readonly topic: string;
  readonly text: string;
}

interface Named extends Explanation {
  /** Its topic, as names are compared. */
  readonly name: string;
}

export interface ExplainOptions extends PluginOptions {
  readonly json?: boolean;
  /** Every key, as in docs/keys.md. */
  readonly markdown?: boolean;
}

export function explainCommand(topic: string | undefined, options: ExplainOptions): void {
  if (options.markdown === true) {
    process.stdout.write(keysPage());
    return;
  }
  const plugins = pluginsNamed(options.plugin);
  const all = plugins.length > 0 ? named(plugins) : (usual ??= named(plugins));
  const found = topic === undefined ? [] : lookUp(all, topic);
  if (topic !== undefined && found.length === 0) {
    const names = all.flatMap((entry) => [entry.topic, entry.topic.split('.').pop()!]);
    names.push(...Object.keys(ALIASES));
    throw new InputError(
      `nothing is called ${topic}${didYouMean(topic, names)}; selvage explain lists what is`,
    );
  }
  if (options.json === true) {
    const shown = (topic === undefined ? all : found).map(({ topic, text }) => ({ topic, text }));
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  } else if (topic === undefined) process.stdout.write(overview(all));
  else process.stdout.write(shownOnce(found));
  process.exitCode = EXIT.COMPLETE;
}

function named(plugins: readonly PluginSource[]): Named[] {
  return explanations(plugins).map((entry) => ({ ...entry, name: joined(entry.topic) }));
}

function explanations(plugins: readonly PluginSource[]): Explanation[] {
  const topics = Object.entries(TOPICS).map(([topic, text]) => ({ topic, text }));
  const metrics = Object.entries(METRICS).map(([topic, { meaning }]) => ({
    topic,
    text: `Metric for expect: ${meaning}.`,
  }));
  const described = describeScenario(plugins);
  const paths = described.map(({ path }) => path);
  const keys = described.map((entry) => ({
    topic: entry.path,
    text: [
      entry.description,
      `Allowed: ${entry.allowed}.`,
      ...keysWithin(entry.path, paths),
      ...exampleOf(entry.path, paths),
      ...(entry.default === null ? [] : [`Default: ${entry.default}.`]),
    ].join('\n'),
  }));
  const added = plugins.map(pluginOf).map(({ name, help }) => ({ topic: name, text: help }));
  return [...topics, ...metrics, ...keys, ...faults(), ...added];
}

/** Kinds of faults, under the key that lists them. */
function faults(): Explanation[] {
  return Object.entries(FAULT_KEYS).map(([kind, { effect, must, may }]) => ({
    topic: `faults.${kind}`,
    text: [
      `Fault of this kind: ${effect}.`,
      ...(must.length === 0 ? [] : [`It needs ${must.join(', ')}.`]),
      ...(may.length === 0 ? [] : [`It may have ${may.join(', ')}.`]),
      'Where and when: faults[].where, faults[].at, faults[].for, faults[].every.',
    ].join('\n'),
  }));
}

/** A mapping lists its keys, which are topics of their own. */
function keysWithin(path: string, paths: readonly string[]): readonly string[] {
  const within = paths.filter(
    (other) => /^(\[\])?\.[^.[]+$/.test(other.slice(path.length)) && other.startsWith(path),
  );
  if (within.length === 0) return [];
  const names = within.map((other) => other.split('.').pop()!);
  return [`Keys: ${names.join(', ')}; each is a topic, as ${within[0]!}.`];
}

/** An entry of `load` as a file has it, and its other keys. */
function exampleOf(path: string, paths: readonly string[]): readonly string[] {
  const [, kind = ''] = /^load\[\]\.([^.]+)$/.exec(path) ?? [];
  const example = LOAD_EXAMPLES[kind];
  if (example === undefined) return [];
  const beside = paths
    .filter((other) => /^load\[\]\.[^.[]+$/.test(other))
    .map((other) => other.split('.').pop()!)
    .filter((name) => LOAD_EXAMPLES[name] === undefined);
  return [`Example: load: [${example}]`, `Beside it: ${beside.join(', ')}.`];
}

/**
 * The topic itself, in any case, by another name, in the singular or plural; else every key with
 * that last part; else keys as a file or an error has them, with their numbers and names; else
 * topics that mention it; else keys that do.
 */
function lookUp(all: readonly Named[], topic: string): Explanation[] {
  const spoken = plain(topic);
  const numbers = [spoken, spoken.replace(/s$/, ''), `${spoken}s`, `${spoken}es`];
  for (const wanted of numbers) {
    for (const name of [joined(wanted), joined(ALIAS_OF.get(joined(wanted)) ?? '')]) {
      const exact = all.filter((entry) => entry.name === name);
      if (name !== '' && exact.length > 0) return exact;
    }
  }
  for (const wanted of numbers.map(joined)) {
    const keys = all.filter(({ name }) => name.endsWith(`.${wanted}`) || name === `${wanted}[]`);
    if (keys.length > 0) return keys;
  }
  const written = all.filter((entry) => isWritten(entry.topic, topic));
  if (written.length > 0) return written;
  const word = new RegExp(`(?<![\\w-])${spoken.replace(/[^\w ]/g, '\\$&')}s?(?![\\w-])`, 'i');
  const mentioning = all.filter(({ text }) => word.test(text));
  const topics = mentioning.filter((entry) => Object.hasOwn(TOPICS, entry.topic));
  return topics.length > 0 ? topics : mentioning;
}

/** Whether a path such as `load.0.rate` or `priorities.3.xoff` is of a key: `load[].rate`. */
function isWritten(key: string, path: string): boolean {
  const [wanted, own] = [path, key].map((text) => text.replaceAll('[', '.[').split('.'));
  return (
    wanted!.length === own!.length &&
    wanted!.every((part, i) => {
      const of = own![i]!;
      if (of === '[]') return /^(\[?\d+\]?|\[\])$/.test(part);
      return of === '*' || plain(of) === plain(part);
    })
  );
}

/** As names are compared: `Head-of-line blocking` and `head of line blocking` are one. */
function plain(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[-_\s]+/g, ' ');
}

/** Without blanks and hyphens: `all-reduce` and `allreduce` are one. */
function joined(name: string): string {
  return plain(name).replaceAll(' ', '');
}

/** A key of the fabric and the same key of one device, `devices.*.…`, are shown once. */
function shownOnce(found: readonly Explanation[]): string {
  const topics = found.map(({ topic }) => topic);
  const ofDevice = (topic: string): string | undefined =>
    topics.find((other) => other === `devices.*.${topic.replace(/^(hosts|switches)\./, '')}`);
  const repeated = new Set(topics.map(ofDevice));
  return found
    .filter(({ topic }) => !repeated.has(topic))
    .map(({ topic, text }) => {
      const also = ofDevice(topic);
      const whole = also === undefined ? text : `${text}\nFor one device: ${also}.`;
      return `${topic}\n${indent(wrapped(whole))}\n`;
    })
    .join('');
}

function overview(all: readonly Explanation[]): string {
  const mechanisms = Object.keys(TOPICS).join(', ');
  const metrics = Object.keys(METRICS).join(', ');
  const keys = all
    .slice(Object.keys(TOPICS).length + Object.keys(METRICS).length)
    .map(({ topic }) => topic)
    .filter((path) => !path.includes('.'))
    .join(', ');
  const parts = [`Topics: ${mechanisms}`, `Metrics: ${metrics}`, `Keys of a scenario: ${keys}`];
  const more = 'selvage explain TOPIC says more; keys go deeper, as in priorities.*.xoff.';
  return `${[...parts, more].map(wrapped).join('\n\n')}\n`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}

/** Broken at blanks, so that no line is longer than a terminal. */
function wrapped(text: string): string {
  return text
    .replace(/(.{1,90})(?: |$)/gm, '$1\n')
    .replace(/\n{2,}/g, '\n')
    .trimEnd();
}
