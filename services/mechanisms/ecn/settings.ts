import type { z } from 'zod';
import { choice, either, mapping, pluginName, quantity, word } from '../../settings/parts.js';
import { aboveZero, share, size } from '../../settings/quantities.js';

/** Chips mark when a frame leaves the queue. */
const at = choice(['dequeue', 'enqueue'])
  .describe('Whether the queue is measured when a frame leaves it or joins it.')
  .prefault('dequeue');

/** The key of a priority. Sizes in octets, shares from 0 to 1. */
export const ecnKey = either(
  [
    word('off'),
    mapping({
      min: quantity(size).describe('Below this queue length nothing is marked.'),
      max: quantity(size).describe('From this queue length on every frame is marked.'),
      probability: quantity(aboveZero(share))
        .describe('Marked share just below max.')
        .prefault('20%'),
      at,
    }),
    mapping({
      step: quantity(aboveZero(size)).describe('Every frame beyond this queue length is marked.'),
      at,
    }),
    pluginName('marking', 'off, a curve or the name of a plugin'),
  ],
  'a marking curve',
  'off, { min: 100KB, max: 400KB, probability: 20% }, { step: 80KB } or the name of a plugin',
).describe('ECN marking at the egress queue: off, a RED curve, a step, or a plugin by its name.');

export type EcnKey = z.output<typeof ecnKey>;
