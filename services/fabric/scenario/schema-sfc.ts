/** Schema of `sfc`: of the fabric, and of single devices. */

import type { z } from 'zod';
import { sfcKeys } from '../../mechanisms/sfc/settings.js';
import { mapping, overriding } from '../../settings/parts.js';

export const sfcSchema = mapping(sfcKeys);

/** Within `devices`: what is absent stays as the scenario's own `sfc` says. */
export const sfcOverridesSchema = mapping(overriding(sfcKeys));

export type SfcInput = z.output<typeof sfcSchema>;
export type SfcChangeInput = z.output<typeof sfcOverridesSchema>;
