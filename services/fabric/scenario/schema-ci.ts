/** Schema of `ci`: of the fabric, and of single devices. */

import type { z } from 'zod';
import { ciKeys } from '../../mechanisms/ci/settings.js';
import { mapping, overriding } from '../../settings/parts.js';

export const ciSchema = mapping(ciKeys);

/** Within `devices`: what is absent stays as the scenario's own `ci` says. */
export const ciOverridesSchema = mapping(overriding(ciKeys));

export type CiInput = z.output<typeof ciSchema>;
export type CiChangeInput = z.output<typeof ciOverridesSchema>;
