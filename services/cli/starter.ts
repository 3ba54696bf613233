/** A commented scenario to start from, of a fabric, a mechanism and a load of one's choice. */

import { parse, stringify } from 'yaml';
import { buildFabric } from '../fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../fabric/scenario/load-scenario.js';
import { settingsOfVariant, VariantError, variantParts } from '../fabric/scenario/variants.js';
import { PAUSE_KEYS } from '../mechanisms/pausing-settings.js';
import { FLOW_CONTROLS, pausingOf } from '../mechanisms/registry.js';
import { unknownName } from '../settings/errors.js';
import { InputError } from './exit.js';

interface Hosts {
  readonly senders: string;
  readonly receiver: string;
  /** From the host of a sender, or beside one, to a host that receives nothing else. */
  readonly victim: readonly [from: string, to: string];
}

interface Choice {
  readonly about: string;
}

interface FabricChoice extends Choice, Hosts {
  readonly text: string;
}

/** A part of a scenario, as YAML. */
export const FABRICS: Readonly<Record<string, FabricChoice>> = {
  'leaf-spine': {
    about: 'two leaves with four hosts each, two spines',
    ...{ senders: 'h1..h3', receiver: 'h5', victim: ['h4', 'h6'] },
    text: `fabric:
  generator: leaf-spine
  leaves: 2
  spines: 2
  hostsPerLeaf: 4
  hostLink: { rate: 100G, length: 5m }
  fabricLink: { rate: 400G, length: 50m }`,
  },
  star: {
    about: 'ten hosts at one switch',
    ...{ senders: 'h2..h9', receiver: 'h1', victim: ['h2', 'h10'] },
    text: `fabric:
  generator: star
  hosts: 10
  hostLink: { rate: 100G, length: 5m }`,
  },
  'fat-tree': {
    about: 'sixteen hosts, switches of four ports',
    ...{ senders: 'h5..h12', receiver: 'h1', victim: ['h13', 'h2'] },
    text: `fabric:
  generator: fat-tree
  k: 4 # 8 makes 128 hosts, 16 makes 1,024
  hostLink: { rate: 100G, length: 5m }
  fabricLink: { rate: 100G, length: 50m }`,
  },
};

/** Keys of every load: all end, even where frames are dropped. */
const TRANSPORT = 'transport: reliable';
const CARRIED = `, priority: 3, ${TRANSPORT}`;

interface LoadChoice extends Choice {
  /** The keys of its loads, but for the congestion control. */
  readonly items: (hosts: Hosts) => readonly string[];
}

export const LOADS: Readonly<Record<string, LoadChoice>> = {
  incast: {
    about: 'many senders to one host at once, and a victim flow beside them',
    items: ({ senders, receiver, victim: [from, to] }) => [
      `name: burst, incast: { from: ${senders}, to: ${receiver} }, bytes: 1MB${CARRIED}`,
      `name: victim, stream: { from: ${from}, to: ${to} }, bytes: 1MB${CARRIED}`,
    ],
  },
  'all-to-all': {
    about: 'every host to every other one',
    items: () => [`name: shuffle, all-to-all: { hosts: h* }, bytes: 200KB${CARRIED}`],
  },
  random: {
    about: 'messages of mixed sizes at random times, at half load',
    items: () => [
      `name: messages, random: { hosts: h*, sizes: web-search, load: 50% }, end: 1ms${CARRIED}`,
    ],
  },
};

export interface Starter {
  readonly fabric: string;
  readonly mechanism: string;
  readonly load: string;
}

export const DEFAULT_STARTER: Starter = {
  fabric: 'leaf-spine',
  mechanism: FLOW_CONTROLS[0]!,
  load: 'incast',
};

/** The text of a scenario; `FILE` stands for its file. */
export function starterText({ fabric, mechanism, load }: Starter): string {
  const hosts = chosen('fabric', FABRICS, fabric);
  const items = chosen('load', LOADS, load).items(hosts);
  const { priorities, more, congestion, transport } = sectionsOf(mechanism, hosts.text, items);
  const name = `${fabric}-${load}`;
  return [
    '# A scenario of Selvage. Run it:      selvage run FILE --open',
    '# The same under other mechanisms:    selvage duel FILE',
    "# What a key means:                   selvage explain 'load[].transport'",
    'selvage: 1 # version of this format',
    `name: ${name}`,
    'seed: 1 # the same seed gives the same run, to the last frame',
    '',
    `# ${capital(hosts.about)}. Others: pair, dumbbell, ring, clos; or list`,
    '# devices and links yourself.',
    hosts.text,
    '',
    'switches:',
    '  pipeline: 500ns # from the last bit received to the buffer',
    '  buffer: { size: 1MB } # smaller: flow control acts earlier and more often',
    '',
    `# Priority 3 under ${mechanism}. Its keys: selvage explain 'priorities.*'`,
    priorities,
    ...more,
    '',
    `# ${capital(LOADS[load]!.about)}.`,
    'load:',
    ...items.map((item) => `  - { ${item.replace(TRANSPORT, transport)}${congestion} }`),
    '',
    'observe: { series: 2us, episodes: true } # tables and charts over time; selvage why',
    '',
    '# Expectations: they decide the exit code.',
    'expect:',
    ...(priorities.includes('none') ? [] : ['  - { metric: lossless-drops, max: 0 }']),
    '  - { metric: completed, min: 100% }',
    '',
  ].join('\n');
}

function chosen<Of>(what: string, all: Readonly<Record<string, Of>>, name: string): Of {
  const found = all[name];
  if (found !== undefined) return found;
  throw new InputError(unknownName(what, name, Object.keys(all)));
}

/** What a mechanism sets in a scenario, as a duel would set it. */
function sectionsOf(
  mechanism: string,
  fabric: string,
  items: readonly string[],
): { priorities: string; more: string[]; congestion: string; transport: string } {
  const load = items.map((item) => `  - { ${item} }`).join('\n');
  const switches = 'switches: { pipeline: 500ns, buffer: { size: 1MB } }';
  const priority = 'priorities: { 3: { responseDelay: 200ns } }';
  const base = ['selvage: 1', fabric, switches, priority, 'load:', load].join('\n');
  const loaded = scenarioOfDocument('scenario.yaml', parse(base));
  const settings = variantSettings(mechanism, loaded);
  const sections = settings.map((setting) => {
    const at = setting.indexOf('=');
    return [setting.slice(0, at), parse(setting.slice(at + 1)) as unknown] as const;
  });
  const priorities = sections.flatMap(([path, value]) =>
    path.startsWith('priorities.')
      ? [`  ${flow(path.slice('priorities.'.length), withEffect(value as Section))}`]
      : [],
  );
  const more = sections
    .filter(([path, value]) => !/^(priorities|load)\./.test(path) && value !== false)
    .map(([path, value]) => flow(path.split('.')[0]!, nested(path, value)));
  const control = sections.find(([path]) => path === 'load.0.congestion')?.[1] ?? 'none';
  const carried = sections.find(([path]) => path === 'load.0.transport')?.[1];
  return {
    priorities: ['priorities:', ...priorities].join('\n'),
    more,
    congestion: control === 'none' ? '' : `, congestion: ${control as string}`,
    transport: carried === undefined ? TRANSPORT : flow('transport', carried),
  };
}

type Section = Readonly<Record<string, unknown>>;

/** Without the keys of a pause where nothing pauses. */
function withEffect(section: Section): Section {
  if (pausingOf(section['flowControl'] as string) !== null) return section;
  return Object.fromEntries(Object.entries(section).filter(([key]) => !PAUSE_KEYS.includes(key)));
}

function variantSettings(
  mechanism: string,
  loaded: ReturnType<typeof scenarioOfDocument>,
): readonly string[] {
  try {
    return settingsOfVariant(mechanism, loaded, buildFabric(loaded).topology);
  } catch (error) {
    if (error instanceof VariantError) throw new InputError(`--mechanism: ${error.message}`);
    throw error;
  }
}

/** `llr.enabled` and true as `{ enabled: true }`. */
function nested(path: string, value: unknown): unknown {
  const [, ...keys] = path.split('.');
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

/** One line of YAML. */
function flow(key: string, value: unknown): string {
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return `${key}: ${text}`;
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

/** Names of mechanisms that a starter may have. */
export function mechanismNames(): readonly string[] {
  const { holds, behind } = variantParts();
  return [...holds, ...behind.map((part) => `${FLOW_CONTROLS[0]!}+${part}`)];
}
