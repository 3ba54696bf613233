/** Schema of `infrastructure`: infrastructure faults, which never change a result. */

import type { z } from 'zod';
import { aboveZero, time } from '../../settings/quantities.js';
import { choice, list, mapping, quantity, text } from '../../settings/parts.js';

const FAULTS_MAX = 100;

export const infrastructureSchema = list(
  mapping({
    kind: choice(['kill', 'pause']).describe(
      'kill -9 (another process takes its place), or standing still for a while.',
    ),
    of: choice(['service', 'broker', 'coordinator']).describe('Which process.'),
    device: text('a device', /^[A-Za-z_][A-Za-z0-9_-]*$/, 'a name such as leaf1')
      .describe('The service that runs this device.')
      .exactOptional(),
    at: quantity(aboveZero(time)).describe('Virtual time.').exactOptional(),
    after: quantity(aboveZero(time))
      .describe('Wall-clock time after the start, instead.')
      .exactOptional(),
    for: quantity(aboveZero(time)).describe('Wall-clock time of a pause.').exactOptional(),
  }),
  'faults such as { kind: kill, of: service, device: leaf1, at: 2ms }',
).max(FAULTS_MAX, `too many faults; at most ${FAULTS_MAX}`);

export type InfrastructureInput = z.output<typeof infrastructureSchema>[number];
