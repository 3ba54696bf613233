/** Variants of a scenario: settings that replace its mechanism by another. */

import {
  BALANCINGS,
  FLOW_CONTROLS,
  MARKINGS,
  MECHANISMS,
  TRANSPORTS,
} from '../../mechanisms/registry.js';
import { rateControlOf, rateControlsWith, reactsToMarks } from '../../plugins/plugins.js';
import type { PluginSource } from '../../plugins/source.js';
import type { Topology } from '../topology/topology.js';
import type { LoadedScenario } from './load-scenario.js';
import type { MechanismSections } from './mechanism-sections.js';

/** Flow controls of a link, of which a variant has exactly one. */
const HOLDS = ['none', 'pause', ...FLOW_CONTROLS] as const;
/** What switches send to link partners and sources beside that. */
const MESSAGES: readonly string[] = MECHANISMS.flatMap(({ name, priority }) =>
  priority?.isFlag === true ? [name] : [],
);
/** What runs on all links, or on none. */
const TOGGLED = MECHANISMS.flatMap(({ name, toggle }) =>
  toggle === undefined ? [] : [{ name, toggle }],
);
const TOGGLES: readonly string[] = TOGGLED.map(({ name }) => name);
/** Transports with their settings, in place of those of loads that acknowledge packets. */
const CARRIED = TRANSPORTS.flatMap(({ name, variants = {} }) =>
  Object.entries(variants).map(([variant, own]) => ({ variant, name, ...own })),
);
const CARRIERS: readonly string[] = CARRIED.map(({ variant }) => variant);
/** What switches do to frames that they drop, which lossless priorities have not. */
const CUTTERS: readonly string[] = MECHANISMS.flatMap((own) =>
  own.cuts === undefined ? [] : [own.name],
);
/** Choices among equal routes, each with a transport that accepts what it reorders. */
const BALANCED = BALANCINGS.flatMap(({ name, variant }) =>
  variant === undefined ? [] : [{ variant, name }],
);
const BALANCES: readonly string[] = BALANCED.map(({ variant }) => variant);
const TOLERANT = TRANSPORTS.find(({ order }) => order === 'window');
/** What a load keeps of its own transport. */
const KEPT = ['mtu', 'rate', 'ackPriority'];

type Hold = (typeof HOLDS)[number];

interface Variant {
  /** As the user wrote it: `none+dcqcn`. */
  readonly name: string;
  readonly hold: Hold;
  /** The kind of a rate control, or `none`. */
  readonly control: string;
  /** Names of mechanisms. */
  readonly messages: readonly string[];
  /** Name of a transport with settings; null: loads keep theirs. */
  readonly carrier: string | null;
  /** Names of mechanisms. */
  readonly cutters: readonly string[];
  /** How a duel names a choice among equal routes; null: switches keep theirs. */
  readonly balance: string | null;
  /** Names of mechanisms. */
  readonly toggles: readonly string[];
}

/** The name is not one of a variant; the message lists the valid ones. */
export class VariantError extends Error {}

/** Of rate controls, those built in and those of the scenario's plugins; one at most. */
export function variantOf(name: string, plugins: readonly PluginSource[] = []): Variant {
  const kinds = rateControlsWith(plugins).map(({ kind }) => kind);
  const parts = name.split('+');
  const holds = partsAmong(HOLDS, parts);
  const controls = partsAmong(kinds, parts);
  const messages = partsAmong(MESSAGES, parts);
  const toggles = partsAmong(TOGGLES, parts);
  const carriers = partsAmong(CARRIERS, parts);
  const balances = partsAmong(BALANCES, parts);
  const cutters = partsAmong(CUTTERS, parts);
  const isSound =
    holds.length <= 1 &&
    controls.length <= 1 &&
    carriers.length <= 1 &&
    balances.length <= 1 &&
    (cutters.length === 0 || holds.every((hold) => hold === 'none')) &&
    new Set(parts).size === parts.length &&
    [holds, controls, messages, toggles, carriers, balances, cutters].flat().length ===
      parts.length;
  if (isSound) {
    const [hold = 'none', control = 'none'] = [holds[0], controls[0]];
    const [carrier = null, balance = null] = [carriers[0], balances[0]];
    return { name, hold, control, messages, carrier, balance, cutters, toggles };
  }
  const { holds: all, behind } = variantParts(plugins);
  throw new VariantError(
    `not a mechanism: ${name}; write one of ${all.join(', ')}, and behind it ` +
      behind.map((part) => `+${part}`).join(', '),
  );
}

/** What names of variants are made of: flow controls of a link, and what may run beside them. */
export function variantParts(plugins: readonly PluginSource[] = []): {
  readonly holds: readonly string[];
  readonly behind: readonly string[];
} {
  const kinds = rateControlsWith(plugins).map(({ kind }) => kind);
  const behind = [...kinds, ...MESSAGES, ...TOGGLES, ...CARRIERS, ...CUTTERS, ...BALANCES];
  return { holds: HOLDS, behind };
}

/** `path=value` settings of a variant by its name. */
export function settingsOfVariant(
  name: string,
  loaded: LoadedScenario,
  topology: Pick<Topology, 'links'>,
): string[] {
  return settingsFor(variantOf(name, loaded.scenario.plugins), loaded, topology);
}

/** Priorities that a duel compares: those under flow control, or all that carry load. */
function disputedPriorities({ scenario }: LoadedScenario): number[] {
  const ruled = scenario.priorities.flatMap(({ flowControl }, priority) =>
    flowControl === 'none' ? [] : [priority],
  );
  if (ruled.length > 0) return ruled;
  return [...new Set(scenario.load.map(({ priority }) => priority))].sort((a, b) => a - b);
}

/** `path=value` settings that make a scenario use the variant's mechanisms. */
export function settingsFor(
  variant: Variant,
  loaded: LoadedScenario,
  { links }: Pick<Topology, 'links'>,
): string[] {
  const { hold, control, messages, toggles, carrier, balance, cutters } = variant;
  const priorities = disputedPriorities(loaded);
  const document = loaded.document as Readonly<Record<string, unknown>>;
  const sections = asMapping(document['priorities']);
  const spoken = Object.fromEntries(messages.map((message) => [message, true]));
  const flowControl = hold === 'pause' ? 'none' : hold;
  const carried = CARRIED.find((own) => own.variant === carrier);
  const needsMarks =
    carried?.needsMarks === true || reactsToMarks(control, loaded.scenario.plugins);
  const slowestBps = links.reduce((least, { rateBps }) => Math.min(least, rateBps), Infinity);
  const [first] = MARKINGS;
  const suggested =
    needsMarks && first !== undefined ? { [first.name]: first.marking.suggested(slowestBps) } : {};
  const settings = priorities.map((priority) => {
    const own = withoutMessages(sections[priority]);
    const marks = markingOf(own, suggested);
    const cut = cuttingOf(own, hold, cutters);
    const section = { ...withoutMarking(own), flowControl, ...marks, ...cut, ...spoken };
    return `priorities.${priority}=${JSON.stringify(section)}`;
  });
  for (const companion of companionsOf(messages, loaded.scenario.mechanisms)) {
    if (priorities.includes(companion)) continue;
    const own = withoutMarking(withoutMessages(sections[priorities[0]!]));
    settings.push(`priorities.${companion}=${JSON.stringify({ ...own, flowControl })}`);
  }
  settings.push(`pause=${hold === 'pause' ? pauseOf(document['pause']) : 'false'}`);
  const slice = rateControlOf(control, loaded.scenario.plugins);
  if (slice?.onPriorities !== undefined) {
    const section = slice.onPriorities(asMapping(document[control]), priorities);
    settings.push(`${control}=${JSON.stringify(section)}`);
  }
  for (const { name, toggle } of TOGGLED) {
    const isOn = toggles.includes(name);
    if (isOn === toggle.isOn(loaded.scenario.mechanisms[name]!)) continue;
    settings.push(`${name}.${toggle.key}=${String(isOn)}`);
  }
  const balanced = BALANCED.find((own) => own.variant === balance);
  if (balanced !== undefined) settings.push(`switches.ecmp=${balanced.name}`);
  loaded.scenario.load.forEach(({ priority, transport }, i) => {
    if (!priorities.includes(priority)) return;
    settings.push(`load.${i}.congestion=${control}`);
    if (transport.kind === 'raw') return;
    const needsOther = balanced !== undefined && needsOrder(transport.name);
    const other = carried ?? (needsOther ? TOLERANT : undefined);
    if (other === undefined) return;
    const kept = keptOf((document['load'] as readonly unknown[])[i]);
    const keys = { mtu: transport.mtuBytes, ...kept, ...carried?.keys };
    settings.push(`load.${i}.transport=${JSON.stringify({ [other.name]: keys })}`);
  });
  return settings;
}

function needsOrder(transport: string): boolean {
  return TRANSPORTS.find(({ name }) => name === transport)?.order === 'ordered';
}

/** What a load's own transport says that another one keeps. */
function keptOf(load: unknown): Readonly<Record<string, unknown>> {
  const [written] = Object.values(asMapping(asMapping(load)['transport']));
  return Object.fromEntries(
    Object.entries(asMapping(written)).filter(([key]) => KEPT.includes(key)),
  );
}

/** Priorities whose flow control must be that of the compared priorities. */
function companionsOf(messages: readonly string[], sections: MechanismSections): number[] {
  return MECHANISMS.filter(({ name }) => messages.includes(name)).flatMap(
    (slice) => slice.companions?.(sections[slice.name]) ?? [],
  );
}

function withoutMessages(section: unknown): Record<string, unknown> {
  const own = Object.entries(asMapping(section)).filter(([key]) => !MESSAGES.includes(key));
  return Object.fromEntries(own);
}

function withoutMarking(section: object): Record<string, unknown> {
  const isMarking = (key: string): boolean => MARKINGS.some(({ name }) => name === key);
  return Object.fromEntries(Object.entries(section).filter(([key]) => !isMarking(key)));
}

/** What a section says of frames that are dropped; nothing is dropped where it is lossless. */
function cuttingOf(
  section: Readonly<Record<string, unknown>>,
  hold: Hold,
  cutters: readonly string[],
): object {
  return Object.fromEntries(
    CUTTERS.flatMap((name) => {
      const isWritten = section[name] !== undefined;
      if (hold !== 'none') return isWritten ? [[name, 'off']] : [];
      return cutters.includes(name) && !isWritten ? [[name, {}]] : [];
    }),
  );
}

/** The marking of a section; a suggested one where it has none. */
function markingOf(section: Readonly<Record<string, unknown>>, suggested: object): object {
  const own = MARKINGS.filter(({ name }) => section[name] !== undefined);
  if (own.length === 0) return suggested;
  return Object.fromEntries(own.map(({ name }) => [name, section[name]]));
}

function partsAmong<Part extends string>(all: readonly Part[], parts: readonly string[]): Part[] {
  return parts.filter((part): part is Part => (all as readonly string[]).includes(part));
}

function pauseOf(section: unknown): string {
  return JSON.stringify(typeof section === 'object' && section !== null ? section : true);
}

function asMapping(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
