import type { z } from 'zod';
import { ENCAPSULATIONS } from '../../engine/wire/congestion-message.js';
import { choice, either, flag, integer, quantity, word } from '../../settings/parts.js';
import { aboveZero, size, time } from '../../settings/quantities.js';
import { CI_HEADER_OCTETS, CI_MAX_CIM, CI_STREAMS, CI_TX_PRIORITY } from './managed.js';

export const ciKeys = {
  enable: flag().describe('This switch isolates congesting flows.').prefault(true),
  priority: integer(0, 7)
    .describe('Priority whose queue isolated flows wait in; nothing else may use it.')
    .prefault(2),
  detect: either(
    [word('auto'), quantity(aboveZero(size))],
    'a threshold',
    'auto, or a size such as 50KB',
  )
    .describe('A queue of this length is congested; auto: what 4us carry.')
    .prefault('auto'),
  low: either([word('auto'), quantity(size)], 'a length', 'auto, or a size such as 4KB')
    .describe('A congesting queue of this length is uncongested; auto: two longest frames.')
    .prefault('auto'),
  messages: integer(CI_MAX_CIM.least, CI_MAX_CIM.most)
    .describe('Most CIMs to the upstream switch for one flow (cipMaxCIM).')
    .prefault(CI_MAX_CIM.default),
  streams: integer(CI_STREAMS.least, CI_STREAMS.most)
    .describe('Size of the stream table of a switch.')
    .prefault(CI_STREAMS.default),
  flowLife: quantity(aboveZero(time))
    .describe('How long a flow stays isolated after congestion ended (ciMaxFlowLife).')
    .prefault('1s'),
  idle: quantity(aboveZero(time))
    .describe('A flow that was not seen for so long is forgotten.')
    .prefault('10ms'),
  quote: integer(CI_HEADER_OCTETS.least, CI_HEADER_OCTETS.most)
    .describe('Bytes of the flow in a message (cipMinHeaderOctets).')
    .prefault(CI_HEADER_OCTETS.default),
  messagePriority: integer(0, 7)
    .describe('Priority of the messages (ciCIMTxPriority); not one that is watched.')
    .prefault(CI_TX_PRIORITY),
  encapsulation: choice(ENCAPSULATIONS).describe('Around a message.').prefault('ethernet'),
};

export type CiSettings = z.output<z.ZodObject<typeof ciKeys>>;
