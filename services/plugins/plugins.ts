import type { z } from 'zod';
import type { EngineKinds } from '../engine/device/engine.js';
import { ENGINE_KINDS, RATE_CONTROLS } from '../mechanisms/registry.js';
import type { NotificationSettings, RateControlSlice } from '../mechanisms/rate-control-slice.js';
import { integer, mapping, quantity } from '../settings/parts.js';
import { aboveZero, time } from '../settings/quantities.js';
import type {
  Arbiter,
  Balancing,
  CongestionControl,
  Load,
  Marking,
  Numbers,
  Plugin,
} from './api.js';
import { arbiterKind } from './arbiter.js';
import { balancingKind } from './balancing.js';
import { PluginControl } from './control.js';
import { definitionOf } from './definition.js';
import { evaluate } from './evaluate.js';
import { markingKind } from './marking.js';
import { settingSchemas } from './settings.js';
import type { PluginSource } from './source.js';
import { checkHash } from './source.js';

/** Sources whose hash was checked. */
const checked = new WeakMap<PluginSource, Plugin>();
/** By SHA-256 and file: the same text is the same plugin. */
const known = new Map<string, Plugin>();
const slices = new WeakMap<CongestionControl, RateControlSlice>();

/** The plugin in a file's text; throws UnusablePlugin where it is none. */
export function pluginOf(source: PluginSource): Plugin {
  const before = checked.get(source);
  if (before !== undefined) return before;
  checkHash(source);
  const key = `${source.sha256} ${source.file}`;
  const plugin = known.get(key) ?? definitionOf(evaluate(source), source.file);
  known.set(key, plugin);
  checked.set(source, plugin);
  return plugin;
}

/** The rate controls that a load may name in `congestion`: built in, and of plugins. */
export function rateControlsWith(sources: readonly PluginSource[]): readonly RateControlSlice[] {
  if (sources.length === 0) return RATE_CONTROLS;
  return [
    ...RATE_CONTROLS,
    ...sources.flatMap((source) => {
      const plugin = pluginOf(source);
      return plugin.kind === 'congestion-control' ? [sliceOf(plugin, source.file)] : [];
    }),
  ];
}

/** All kinds that engines are given. */
export function engineKindsWith(sources: readonly PluginSource[]): EngineKinds {
  const markings = ofKind('marking', sources);
  const balancings = ofKind('balancing', sources);
  const arbiters = ofKind('arbiter', sources);
  return {
    ...ENGINE_KINDS,
    rateControls: rateControlsWith(sources),
    markings: markings.map(({ plugin, file }) => markingKind(plugin, file)),
    balancings: [
      ...ENGINE_KINDS.balancings,
      ...balancings.map(({ plugin, file }) => balancingKind(plugin, file)),
    ],
    arbiters: arbiters.map(({ plugin, file }) => arbiterKind(plugin, file)),
  };
}

/** Plugins of a kind, each with its file. */
function ofKind<Kind extends Plugin['kind']>(
  kind: Kind,
  sources: readonly PluginSource[],
): { readonly plugin: Extract<Plugin, { readonly kind: Kind }>; readonly file: string }[] {
  return sources.flatMap((source) => {
    const plugin = pluginOf(source);
    if (plugin.kind !== kind) return [];
    return [{ plugin: plugin as Extract<Plugin, { readonly kind: Kind }>, file: source.file }];
  });
}

/** Plugins of switches, which a key of the scenario names. */
export function markingsOf(sources: readonly PluginSource[]): readonly Marking[] {
  return ofKind('marking', sources).map(({ plugin }) => plugin);
}

export function balancingsOf(sources: readonly PluginSource[]): readonly Balancing[] {
  return ofKind('balancing', sources).map(({ plugin }) => plugin);
}

export function arbitersOf(sources: readonly PluginSource[]): readonly Arbiter[] {
  return ofKind('arbiter', sources).map(({ plugin }) => plugin);
}

/** The section of each plugin of switches, under its name. */
export function switchPluginKeys(
  sources: readonly PluginSource[],
): Readonly<Record<string, z.ZodType<Numbers>>> {
  const all = [
    ...ofKind('marking', sources),
    ...ofKind('balancing', sources),
    ...ofKind('arbiter', sources),
  ];
  const sections = all.map(({ plugin: { name, kind, settings = {} }, file }) => [
    name,
    mapping(settingSchemas(settings)).describe(`${name}, a ${kind} (plugin ${file}).`).prefault({}),
  ]);
  return Object.fromEntries(sections) as Readonly<Record<string, z.ZodType<Numbers>>>;
}

/** The loads of plugins. */
export function loadsOf(sources: readonly PluginSource[]): readonly Load[] {
  return sources.map(pluginOf).filter((plugin) => plugin.kind === 'load');
}

/** The load of that name, and the file of its plugin. */
export function loadNamed(
  name: string,
  sources: readonly PluginSource[],
): { readonly load: Load; readonly file: string } {
  for (const source of sources) {
    const load = pluginOf(source);
    if (load.kind === 'load' && load.name === name) return { load, file: source.file };
  }
  throw new Error(`no load is called ${name}`);
}

/** The rate control of that kind; null for `none`. */
export function rateControlOf(
  congestion: string,
  sources: readonly PluginSource[],
): RateControlSlice | null {
  if (congestion === 'none') return null;
  const found = rateControlsWith(sources).find(({ kind }) => kind === congestion);
  if (found === undefined) throw new Error(`no rate control is called ${congestion}`);
  return found;
}

/** Whether its load needs packets that may be marked. */
export function reactsToMarks(congestion: string, sources: readonly PluginSource[]): boolean {
  return rateControlOf(congestion, sources)?.feedback === 'marks';
}

/** What receivers of marked packets send has the same two keys as with DCQCN. */
const CNP_KEYS = {
  cnpInterval: quantity(aboveZero(time))
    .describe('Least time between two notifications (CNP) to one connection.')
    .prefault('50us'),
  cnpPriority: integer(0, 7).describe('Priority of notifications.').prefault(6),
};

/** The same path as a built-in rate control, from the keys of its section to its connections. */
function sliceOf(plugin: CongestionControl, file: string): RateControlSlice {
  const before = slices.get(plugin);
  if (before !== undefined) return before;
  const { name: kind, feedback, help, settings = {} } = plugin;
  const reactsToMarks = feedback === 'marks';
  const keys = { ...settingSchemas(settings), ...(reactsToMarks ? CNP_KEYS : {}) };
  const slice: RateControlSlice<Numbers> = {
    kind,
    title: kind,
    settings: mapping(keys) as unknown as z.ZodType<Numbers>,
    help: `${kind} of the loads that have congestion: ${kind} (plugin ${file}).`,
    feedback,
    seesAnswers: plugin.answered !== undefined,
    topic: `${help} A plugin: \`congestion: ${kind}\` in a load.`,
    plan: (values, { packetOctets, hops }) => ({
      kind,
      settings: Object.freeze({ ...values }),
      packetOctets,
      hops,
    }),
    ...(reactsToMarks && { notifications: notificationsOf }),
    create: (tables, host) => new PluginControl(tables, host, plugin, file),
  };
  slices.set(plugin, slice);
  return slice;
}

function notificationsOf(values: Numbers): NotificationSettings {
  return { intervalPs: values['cnpInterval']!, priority: values['cnpPriority']! };
}
