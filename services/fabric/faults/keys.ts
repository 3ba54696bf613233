/** Keys that several kinds of faults have. */

import { CONTROL_FRAMES } from '../../engine/faults/control-frames.js';
import { EXCHANGE, MESSAGE_TEMPLATES } from '../../mechanisms/registry.js';
import { choice, either, integer, list, quantity } from '../../settings/parts.js';
import { aboveZero, rate, share, size, time } from '../../settings/quantities.js';

export const KEYS = {
  priority: either(
    [integer(0, 7), list(integer(0, 7), 'priorities 0 to 7').min(1, 'no priority is named')],
    'a priority',
    'a priority from 0 to 7, or a list of those',
  ).describe('Only frames of these priorities. Default: all that are concerned.'),
  probability: quantity(aboveZero(share)).describe(
    'Of each frame, to be hit. Default of `control`: 100%.',
  ),
  frames: choice(Object.keys(CONTROL_FRAMES)).describe(
    'Which control frames, of those that arrive; or which to forge: ' +
      `${MESSAGE_TEMPLATES.map(({ frames }) => frames).join(', ')}.`,
  ),
  delay: quantity(aboveZero(time)).describe('How much later frames arrive.'),
  rate: quantity(aboveZero(rate)).describe(
    'What is left of the rate of a link, or of an application that reads; of `set`: the rate of ' +
      'the link.',
  ),
  interval: quantity(aboveZero(time)).describe('It acts so often.'),
  size: quantity(aboveZero(size)).describe(
    `How much buffer, or ${EXCHANGE}, is removed; of \`set\`: size of the pool.`,
  ),
};
