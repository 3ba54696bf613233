/** The file's values -> the scenario: defaults in place, one form for every notation. */

import type { PluginSource } from '../../plugins/source.js';
import { CollectedErrors } from '../../settings/collected-errors.js';
import type { Located } from './located.js';
import { rateControlSections, switchPluginSections } from './normalise-congestion.js';
import { discoverySection } from './normalise-discovery.js';
import { deviceOverrides, hostSection, switchSection } from './normalise-devices.js';
import { expectations } from './normalise-expect.js';
import { faultSections } from './normalise-faults.js';
import { fabricSection } from './normalise-fabric.js';
import { classSection, pauseSection, prioritySections } from './normalise-flow-control.js';
import { infrastructureSections } from './normalise-infrastructure.js';
import { groupSections, loadSections } from './normalise-load.js';
import { liveSection } from './normalise-live.js';
import { portRules } from './normalise-ports.js';
import { mechanismSections } from './mechanism-sections.js';
import type { CaptureSection, Scenario, TraceSection } from './scenario.js';
import type { ScenarioInput } from './schema.js';

/** `plugins` are those that the file names, read. */
export function normalise(
  input: ScenarioInput,
  plugins: readonly PluginSource[],
  fileName: string,
  located: Located,
): Scenario {
  const errors = new CollectedErrors();
  const groups = errors.attempt(() => groupSections(input.groups, 'groups', located));
  const load = groups && errors.attempt(() => loadSections(input.load, groups, plugins, located));
  const sections = {
    name: input.name ?? fileName,
    description: input.description,
    seed: input.seed,
    durationPs: input.duration ?? null,
    plugins,
    fabric: errors.attempt(() => fabricSection(input.fabric, located)),
    hosts: errors.attempt(() => hostSection(input.hosts, located)),
    switches: errors.attempt(() => switchSection(input.switches, located)),
    overrides: errors.attempt(() => deviceOverrides(input.devices, located)),
    priorities: errors.attempt(() => prioritySections(input.priorities, located)),
    pause: errors.attempt(() => pauseSection(input.pause)),
    ports: errors.attempt(() => portRules(input.ports, located)),
    discovery: errors.attempt(() => discoverySection(input.discovery, located)),
    mechanisms: errors.attempt(() => mechanismSections(input, [], located)),
    switchPlugins: switchPluginSections(input, plugins),
    rateControls: errors.attempt(() => rateControlSections(input, plugins, located)),
    classes: errors.attempt(() => classSection(input.classes, located)),
    groups,
    load,
    live: errors.attempt(() => liveSection(input.live, located)),
    faults: errors.attempt(() => faultSections(input.faults, input.duration ?? null, located)),
    infrastructure: errors.attempt(() => infrastructureSections(input.infrastructure, located)),
    placement: errors.attempt(() => groupSections(input.placement, 'placement', located)),
    observe: {
      series: input.observe.series ?? null,
      ports: input.observe.ports,
      episodes: input.observe.episodes || isAboutEpisodes(input),
      queue: input.observe.queue ?? null,
      stormPs: input.observe.storm,
      traces: traceSection(input.observe.traces),
      captures: captureSection(input.observe.captures),
      events: input.observe.events,
      wire: input.observe.wire,
    },
    expect: load && errors.attempt(() => expectations(input.expect, load, located)),
  };
  errors.settle();
  // Nothing is null where there was no error.
  return sections as Scenario;
}

/**
 * Deadlocks and storms are found in episodes: a scenario that expects some, or none, records those.
 */
function isAboutEpisodes({ expect }: ScenarioInput): boolean {
  return expect.some(({ metric }) => metric === 'deadlocks' || metric === 'storms');
}

/** Of all frames a few are enough; a scenario that names flows wants theirs. */
const SHARE_OF_ALL = 0.001;

function traceSection(input: ScenarioInput['observe']['traces']): TraceSection | null {
  if (input === undefined) return null;
  return { ...input, share: input.share ?? (input.flows.length > 0 ? 1 : SHARE_OF_ALL) };
}

function captureSection(input: ScenarioInput['observe']['captures']): CaptureSection | null {
  if (input === undefined) return null;
  const filters = input.filters.map(({ priority, type, flow }) => ({
    priority: priority ?? null,
    type: type ?? null,
    flow: flow ?? null,
  }));
  const { ports, frames, snap } = input;
  return { ports, filters, frames, snapOctets: snap ?? null };
}
