import { PLUGIN_NAME } from '../settings/parts.js';
import { didYouMean, listed, show } from '../settings/errors.js';
import type { Plugin, Settings } from './api.js';
import { PLUGIN_API } from './api.js';
import { reasonOf } from './thrown.js';
import { settingSchema } from './settings.js';
import { UnusablePlugin } from './source.js';

const KEY = /^[a-z][A-Za-z0-9]{0,39}$/;
const FIELDS_MAX = 64;
const FLOW_SLOTS_MAX = 65_536;

const HEADER = ['api', 'kind', 'name', 'help', 'settings'] as const;
const HOOKS = ['start', 'sent', 'acknowledged', 'answered', 'lost', 'marked', 'timer'] as const;
const KINDS = ['congestion-control', 'load', 'marking', 'balancing', 'arbiter'] as const;
const MOMENTS = ['enqueue', 'dequeue'] as const;
const FEEDBACKS = ['acknowledgements', 'echoes', 'marks'] as const;
/** Hooks of which a control has one, or it would never be called. */
const HEARD = {
  acknowledgements: ['acknowledged', 'answered'],
  echoes: ['answered'],
  marks: ['marked'],
} as const;
const SETTING = ['unit', 'default', 'min', 'max', 'help'] as const;
/** Keys of a section of every plugin of a kind beside the plugin's own keys. */
const OWN_KEYS = {
  load: ['hosts'],
  acknowledgements: [],
  echoes: [],
  marks: ['cnpInterval', 'cnpPriority'],
  ofSwitch: [],
} as const;

type Mapping = Readonly<Record<string, unknown>>;

/** The checked export of a plugin; throws UnusablePlugin with the first error. */
export function definitionOf(value: unknown, file: string): Plugin {
  try {
    return new Checker(file).plugin(value);
  } catch (error) {
    if (error instanceof UnusablePlugin) throw error;
    // A getter, or a proxy.
    throw new UnusablePlugin(`${file}: it throws where its keys are read: ${reasonOf(error)}`);
  }
}

/** A text in quotes: it looks like a number without them. */
function shown(value: unknown): string {
  return typeof value === 'string' ? `'${show(value)}'` : show(value);
}

function isFeedback(value: unknown): value is (typeof FEEDBACKS)[number] {
  return FEEDBACKS.some((known) => known === value);
}

class Checker {
  constructor(private readonly file: string) {}

  plugin(value: unknown): Plugin {
    const given = this.mapping(value, 'the default export');
    if (given['api'] !== PLUGIN_API) {
      throw this.error(
        `api is ${shown(given['api'])}; this version of selvage has version ${PLUGIN_API} of the ` +
          `plugin API: write api: ${PLUGIN_API} and what docs/extending.md says of it`,
      );
    }
    const { kind } = given;
    if (kind === 'congestion-control') this.control(given);
    else if (kind === 'load') this.load(given);
    else if (kind === 'marking') this.marking(given);
    else if (kind === 'balancing') this.balancing(given);
    else if (kind === 'arbiter') this.arbiter(given);
    else throw this.error(`kind is ${show(kind)}; one of ${listed(KINDS)}`);
    return value as Plugin;
  }

  private control(given: Mapping): void {
    this.keys(given, [...HEADER, 'feedback', 'state', ...HOOKS]);
    const { feedback, state } = given;
    if (!isFeedback(feedback)) {
      throw this.error(`feedback is ${show(feedback)}; one of ${listed(FEEDBACKS)}`);
    }
    this.header(given, OWN_KEYS[feedback]);
    this.state(state);
    for (const hook of HOOKS) if (given[hook] !== undefined) this.method(given, hook);
    const wanted: readonly string[] = HEARD[feedback];
    if (wanted.every((hook) => given[hook] === undefined)) {
      const hooks = wanted.join(' or ');
      throw this.error(`${hooks} is missing: with feedback: '${feedback}' it is what is called`);
    }
    if (feedback !== 'marks' && given['marked'] !== undefined) {
      throw this.error("marked would never be called: that needs feedback: 'marks'");
    }
  }

  private load(given: Mapping): void {
    this.keys(given, [...HEADER, 'flows']);
    this.header(given, OWN_KEYS.load);
    this.method(given, 'flows');
  }

  private marking(given: Mapping): void {
    this.keys(given, [...HEADER, 'at', 'state', 'marks']);
    const { at, state } = given;
    if (!MOMENTS.some((moment) => moment === at)) {
      throw this.error(`at is ${show(at)}; one of ${listed(MOMENTS)}`);
    }
    this.header(given, OWN_KEYS.ofSwitch);
    this.state(state);
    this.method(given, 'marks');
  }

  private balancing(given: Mapping): void {
    this.keys(given, [...HEADER, 'state', 'flows', 'chooses']);
    this.header(given, OWN_KEYS.ofSwitch);
    this.state(given['state']);
    if (given['flows'] !== undefined) this.flows(this.mapping(given['flows'], 'flows'));
    this.method(given, 'chooses');
  }

  private arbiter(given: Mapping): void {
    this.keys(given, [...HEADER, 'state', 'classes', 'serves']);
    this.header(given, OWN_KEYS.ofSwitch);
    this.state(given['state']);
    if (given['classes'] !== undefined) this.state(given['classes'], 'classes');
    this.method(given, 'serves');
  }

  private flows(given: Mapping): void {
    this.keys(given, ['slots', 'state'], 'flows.');
    const { slots, state } = given;
    const isSize = Number.isInteger(slots) && Number(slots) >= 1 && Number(slots) <= FLOW_SLOTS_MAX;
    if (!isSize) {
      throw this.error(`flows.slots is ${show(slots)}; write 1 to ${FLOW_SLOTS_MAX}`);
    }
    this.state(state, 'flows.state');
  }

  private header(given: Mapping, own: readonly string[]): void {
    const { name, help, settings = {} } = given;
    if (typeof name !== 'string' || !PLUGIN_NAME.test(name)) {
      throw this.error(`name is ${show(name)}; write lower-case letters, digits and -`);
    }
    this.help(help, 'help');
    for (const [key, setting] of Object.entries(this.mapping(settings, 'settings'))) {
      if (!KEY.test(key)) {
        throw this.error(`settings.${key}: a key begins with a lower-case letter`);
      }
      if (own.includes(key)) throw this.error(`settings.${key}: every such plugin has that key`);
      this.setting(this.mapping(setting, `settings.${key}`), `settings.${key}`);
    }
  }

  private setting(given: Mapping, path: string): void {
    this.keys(given, SETTING, `${path}.`);
    this.help(given['help'], `${path}.help`);
    try {
      const schema = settingSchema(given as unknown as Settings[string]);
      const parsed = schema.safeParse(given['default']);
      if (parsed.success) return;
      throw this.error(`${path}.default: ${parsed.error.issues[0]!.message}`);
    } catch (error) {
      if (error instanceof UnusablePlugin) throw error;
      throw this.error(`${path}: ${(error as Error).message}`);
    }
  }

  private state(value: unknown, path = 'state'): void {
    const fields = Object.entries(this.mapping(value, path));
    if (fields.length > FIELDS_MAX) {
      throw this.error(`${path} has ${fields.length} fields; at most ${FIELDS_MAX}`);
    }
    for (const [field, initial] of fields) {
      if (!KEY.test(field))
        throw this.error(`${path}.${field}: a field begins with a lower-case letter`);
      if (typeof initial === 'number' && !Number.isNaN(initial)) continue;
      throw this.error(`${path}.${field} is ${show(initial)}; state is numbers, which are saved`);
    }
  }

  private method(given: Mapping, name: string): void {
    const method = given[name];
    if (typeof method !== 'function') throw this.error(`${name} is no function: ${show(method)}`);
    // Its tag identifies it, whatever context it comes from.
    const isGenerator = Object.prototype.toString.call(method) === '[object GeneratorFunction]';
    if (!isGenerator || name === 'flows') return;
    throw this.error(`${name} must return at once: it is a generator`);
  }

  private help(value: unknown, path: string): void {
    if (typeof value === 'string' && value.trim() !== '') return;
    throw this.error(`${path} is missing; write a sentence for \`selvage explain\``);
  }

  private mapping(value: unknown, path: string): Mapping {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Mapping;
    }
    throw this.error(`${path} is no object of keys: ${show(value)}`);
  }

  private keys(given: Mapping, allowed: readonly string[], prefix = ''): void {
    const unknown = Object.keys(given).find((key) => !allowed.includes(key));
    if (unknown === undefined) return;
    const hint = didYouMean(unknown, allowed);
    throw this.error(`${prefix}${unknown} is unknown; allowed: ${listed(allowed)}${hint}`);
  }

  private error(message: string): UnusablePlugin {
    return new UnusablePlugin(`${this.file}: ${message}`);
  }
}
