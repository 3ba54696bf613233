/** The file's values -> the scenario: defaults in place, one form for every way to say it. */

import type { PluginSource } from '../../plugins/source.js';
import type { Located } from './located.js';
import { rateControlSections } from './normalise-congestion.js';
import { creditSection } from './normalise-credit.js';
import { discoverySection } from './normalise-discovery.js';
import { deviceOverrides, hostSection, switchSection } from './normalise-devices.js';
import { expectations } from './normalise-expect.js';
import { faultSections } from './normalise-faults.js';
import { fabricSection } from './normalise-fabric.js';
import { classSection, pauseSection, prioritySections } from './normalise-flow-control.js';
import { machinerySections } from './normalise-machinery.js';
import { groupSections, loadSections } from './normalise-load.js';
import { mechanismSections } from './mechanism-sections.js';
import type { CaptureSection, Scenario } from './scenario.js';
import type { ScenarioInput } from './schema.js';

/** `plugins` are those that the file names, read. */
export function normalise(
  input: ScenarioInput,
  plugins: readonly PluginSource[],
  fileName: string,
  located: Located,
): Scenario {
  const groups = groupSections(input.groups, 'groups', located);
  const load = loadSections(input.load, groups, plugins, located);
  return {
    name: input.name ?? fileName,
    description: input.description,
    seed: input.seed,
    durationPs: input.duration ?? null,
    plugins,
    fabric: fabricSection(input.fabric, located),
    hosts: hostSection(input.hosts, located),
    switches: switchSection(input.switches, located),
    overrides: deviceOverrides(input.devices, located),
    priorities: prioritySections(input.priorities, located),
    pause: pauseSection(input.pause),
    credit: creditSection(input.credit, located),
    discovery: discoverySection(input.discovery, located),
    mechanisms: mechanismSections(input, [], located),
    rateControls: rateControlSections(input, plugins, located),
    classes: classSection(input.classes, located),
    groups,
    load,
    faults: faultSections(input.faults, input.duration ?? null, located),
    machinery: machinerySections(input.machinery, located),
    placement: groupSections(input.placement, 'placement', located),
    observe: {
      seriesPs: input.observe.series ?? null,
      ports: input.observe.ports,
      episodes: input.observe.episodes || isAboutEpisodes(input),
      queue: input.observe.queue ?? null,
      stormPs: input.observe.storm,
      traces: input.observe.traces ?? null,
      captures: captureSection(input.observe.captures),
      events: input.observe.events,
      wire: input.observe.wire,
    },
    expect: expectations(input.expect, load, located),
  };
}

/** Deadlocks and storms are found in episodes: who expects some, or none, has those observed. */
function isAboutEpisodes({ expect }: ScenarioInput): boolean {
  return expect.some(({ metric }) => metric === 'deadlocks' || metric === 'storms');
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
