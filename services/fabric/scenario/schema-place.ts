/** Schema of `where`: ports by their device, their link partner or their link. */

import type { z } from 'zod';
import { choice, text } from '../../settings/parts.js';

const PATTERN = /^[A-Za-z_*?][A-Za-z0-9_*?-]*$/;
const LINK = /^[A-Za-z_*?][A-Za-z0-9_*?:-]* [A-Za-z_*?][A-Za-z0-9_*?:-]*$/;
const PORT = /^[A-Za-z_*?][A-Za-z0-9_*?-]*:[p*?][0-9*?]*$/;

const device = (what: string): z.ZodExactOptional<z.ZodString> =>
  text('a device', PATTERN, 'a name such as leaf1, or a pattern such as leaf*')
    .describe(what)
    .exactOptional();

/** Ports that meet all conditions that are given. */
export const placeKeys = {
  device: device('Ports of these devices.'),
  port: text('a port', PORT, 'a port such as leaf1:p3, or a pattern such as leaf*:*')
    .describe('These ports.')
    .exactOptional(),
  kind: choice(['host', 'switch']).describe('Ports of devices of this kind.').exactOptional(),
  tier: text('a tier', /^[a-z][a-z-]*$/, 'a word such as leaf')
    .describe('Ports of devices of this tier.')
    .exactOptional(),
  peer: device('Ports whose link partner is one of these devices.'),
  link: text('a link', LINK, 'what it joins, such as leaf1 spine*, or leaf1:p3 spine1:p1')
    .describe('Both ends of links between these devices, or ports.')
    .exactOptional(),
};

export type PlaceInput = z.output<z.ZodObject<typeof placeKeys>>;
