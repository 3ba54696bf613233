/** Schema of the whole scenario file. */

import { z } from 'zod';
import type { RateControlSlice } from '../../mechanisms/rate-control-slice.js';
import { RATE_CONTROLS } from '../../mechanisms/registry.js';
import { loadsOf, rateControlsWith, switchPluginKeys } from '../../plugins/plugins.js';
import type { PluginSource } from '../../plugins/source.js';
import { show } from '../../settings/errors.js';
import { aboveZero, time } from '../../settings/quantities.js';
import { devicesSchema, hostsSchema, switchesSchema } from './schema-devices.js';
import { discoverySchema } from './schema-discovery.js';
import { expectSchema, observeSchema } from './schema-expect.js';
import { faultsSchema } from './schema-faults.js';
import { infrastructureSchema } from './schema-infrastructure.js';
import { fabricSchema } from './schema-fabric.js';
import { classesSchema, pauseSchema, prioritiesSchema } from './schema-flow-control.js';
import { liveSchema } from './schema-live.js';
import { portsSchema } from './schema-ports.js';
import { groupsSchema, loadsSchema, placementSchema } from './schema-load.js';
import { sectionKeys } from './mechanism-sections.js';
import { either, freeText, integer, list, mapping, quantity, text } from '../../settings/parts.js';

export const SCHEMA_VERSION = 1;

/** A section for each rate control, under its kind. */
function rateControlKeys(
  controls: readonly RateControlSlice[],
): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    controls.map(({ kind, help, settings }) => [kind, settings.describe(help).prefault({})]),
  );
}

/** A plugin as it is carried: with its text, so that a copy of the scenario needs no other file. */
const carriedPlugin = mapping({
  file: freeText().describe('Path of the file that it was read from.'),
  sha256: text('a SHA-256', /^[0-9a-f]{64}$/, '64 hexadecimal digits').describe(
    'SHA-256 of its text.',
  ),
  text: freeText().describe('The text of the file.'),
});

/** Without plugins: what is published. */
export const scenarioSchema = mapping({
  selvage: z
    .literal(SCHEMA_VERSION, {
      error: ({ input }) =>
        input === undefined
          ? `missing; a scenario says selvage: ${SCHEMA_VERSION}`
          : `unknown version of the schema: ${show(input)}; this program knows ${SCHEMA_VERSION}`,
    })
    .describe('Version of the schema that the file is written for.'),
  name: freeText()
    .min(1, 'empty')
    .describe('Name of the scenario. Default: of its file.')
    .exactOptional(),
  description: freeText().describe('What the scenario shows.').prefault(''),
  extends: either(
    [freeText(), list(freeText(), 'files')],
    'a base file',
    'a file name, or a list of those',
  )
    .describe(
      'Base file or files, relative to this one. Mappings are merged key by key; ' +
        'lists and everything else in this file replace what the base says.',
    )
    .exactOptional(),
  seed: integer(0, Number.MAX_SAFE_INTEGER)
    .describe('Seed of every random stream; the same seed gives the same run.')
    .prefault(1),
  duration: quantity(aboveZero(time))
    .describe(
      'The run ends here at the latest. Default: with the last frame, pause or fault; ' +
        'messages that are repeated forever keep it for a sixteenth of its time at most.',
    )
    .exactOptional(),
  fabric: fabricSchema.describe('Devices and links.').prefault({}),
  hosts: hostsSchema.describe('Settings of every host.').prefault({}),
  switches: switchesSchema.describe('Settings of every switch.').prefault({}),
  devices: devicesSchema
    .describe('Changes to single devices, by name or pattern; later ones win.')
    .prefault({}),
  priorities: prioritiesSchema
    .describe('Flow control, thresholds and marking of priorities; all applies to every one.')
    .prefault({}),
  pause: pauseSchema
    .describe(
      '802.3x PAUSE on all ports (802.3 Annex 31B); beside flow control by priority: on the ' +
        'links below 10 Gb/s, which have no other.',
    )
    .prefault(false),
  ports: portsSchema
    .describe(
      'Settings of single ports, by device, link or rate, over those of their devices; later ' +
        'entries win.',
    )
    .prefault([]),
  discovery: discoverySchema
    .describe('LLDP and DCBX between link partners; true: with the defaults of the standards.')
    .prefault(false),
  ...sectionKeys(),
  plugins: list(
    either([freeText(), carriedPlugin], 'a plugin', 'a file name, such as ./my-control.mjs'),
    'file names, such as ./my-control.mjs',
  )
    .describe(
      'Files of JavaScript or TypeScript, relative to this one; each adds a congestion control ' +
        'or a kind of load. docs/extending.md builds one.',
    )
    .prefault([]),
  ...rateControlKeys(RATE_CONTROLS),
  classes: classesSchema
    .describe('Queues and accounts of the priorities, and the arbiter.')
    .prefault({}),
  groups: groupsSchema
    .describe('Multicast groups: name, neither all nor a device, and members.')
    .prefault({}),
  load: loadsSchema(
    RATE_CONTROLS.map(({ kind }) => kind),
    [],
  )
    .describe('What is sent.')
    .prefault([]),
  live: liveSchema
    .describe('Hosts that are real: programs outside, whose frames cross the emulated fabric.')
    .exactOptional(),
  faults: faultsSchema
    .describe('What goes wrong in the emulated world, where and when.')
    .prefault([]),
  infrastructure: infrastructureSchema
    .describe('What breaks the processes of a distributed run; no result depends on it.')
    .prefault([]),
  placement: placementSchema
    .describe(
      'Which devices share a service when the run is distributed: name of a service and its ' +
        'devices; every other device has a service of its own. Results do not depend on it.',
    )
    .prefault({}),
  observe: observeSchema.describe('What is recorded beyond the summary.').prefault({}),
  expect: expectSchema.describe('What must hold at the end.').prefault([]),
});

export type ScenarioInput = z.output<typeof scenarioSchema>;

/** With the sections, rate controls and loads that plugins add. */
export function scenarioSchemaWith(plugins: readonly PluginSource[]): typeof scenarioSchema {
  if (plugins.length === 0) return scenarioSchema;
  const controls = rateControlsWith(plugins);
  const loads = loadsSchema(
    controls.map(({ kind }) => kind),
    loadsOf(plugins),
  );
  const { shape } = scenarioSchema;
  const load = loads.describe(shape.load.description!).prefault([]);
  const sections = { ...rateControlKeys(controls), ...switchPluginKeys(plugins) };
  return mapping({ ...shape, ...sections, load });
}
