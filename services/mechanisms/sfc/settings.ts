import type { z } from 'zod';
import { ENCAPSULATIONS } from '../../engine/wire/congestion-message.js';
import {
  choice,
  either,
  flag,
  integer,
  mapping,
  positive,
  quantity,
  word,
} from '../../settings/parts.js';
import { aboveZero, share, size, time } from '../../settings/quantities.js';

/** Longest pause that a switch requests, unless it is configured. */
export const PAUSE_MAX_DEFAULT = '100us';

const detect = either(
  [
    word('auto'),
    quantity(aboveZero(size)),
    mapping({
      dynamic: positive().describe('Congestion threshold as a multiple of the free shared buffer.'),
    }),
    mapping({
      min: quantity(size).describe('Below this queue length no message is sent.'),
      max: quantity(aboveZero(size)).describe(
        'From this queue length on every frame causes a message.',
      ),
      probability: quantity(aboveZero(share)).describe('Share of frames just below max.'),
    }),
    mapping({
      predicted: quantity(aboveZero(size)).describe('Congested if the queue will be so long.'),
      horizon: quantity(aboveZero(time))
        .describe('How far ahead the growth of the queue is extrapolated.')
        .prefault('5us'),
    }),
  ],
  'a detector',
  'auto, a size such as 150KB, { dynamic: 0.25 }, { min: 50KB, max: 200KB, probability: 20% } or ' +
    '{ predicted: 300KB, horizon: 5us }',
);

/** Managed objects of P802.1Qdw 52.5.1, whose ranges and defaults the proposal leaves open. */
export const sfcKeys = {
  send: flag()
    .describe('A switch sends SFCMs to the sources of frames that congest its queues.')
    .prefault(true),
  receive: flag()
    .describe('A host pauses its transmission when it receives an SFCM.')
    .prefault(true),
  proxy: choice(['auto', 'on', 'off'])
    .describe(
      'A switch is the proxy of its hosts: it receives SFCMs for them and pauses them by PFC; ' +
        'auto: of hosts that do not receive SFCMs.',
    )
    .prefault('auto'),
  detect: detect
    .describe(
      'When a queue is congested; auto: twice what the longest round trip carries, or less where ' +
        'PFC would act first.',
    )
    .prefault('auto'),
  target: either([word('auto'), quantity(size)], 'a queue length', 'auto, or a size such as 64KB')
    .describe(
      'Queue length that pauses aim at; auto: what the longest round trip carries, at most half ' +
        'of the threshold.',
    )
    .prefault('auto'),
  minInterval: quantity(aboveZero(time))
    .describe('Least time between two messages to one source (sfcmMinInterval).')
    .prefault('10us'),
  queueInterval: quantity(time)
    .describe('Least time between two messages of one queue, to whichever sources; 0s: no limit.')
    .prefault('0s'),
  pause: either(
    [word('auto'), quantity(aboveZero(time))],
    'a pause time',
    'auto, or a time such as 20us',
  )
    .describe('How long a source pauses; auto: until what is above the target has drained.')
    .prefault('auto'),
  pauseMin: quantity(aboveZero(time)).describe('Least computed pause.').prefault('1us'),
  pauseMax: quantity(aboveZero(time))
    .describe('Longest computed pause.')
    .prefault(PAUSE_MAX_DEFAULT),
  whilePaused: choice(['silent', 'longest'])
    .describe(
      'A congested queue that is itself paused sends no messages, or messages with pauseMax: it ' +
        'does not drain. Silent, since the queue that pauses it names the sources that ' +
        'congest; a paused queue also has frames of others.',
    )
    .prefault('silent'),
  resume: flag()
    .describe('Resume paused sources when the queue has fallen to its target.')
    .prefault(false),
  sources: integer(1, 65_536).describe('Size of the source table of a switch.').prefault(1_024),
  sourceLife: quantity(aboveZero(time))
    .describe('A source that was not seen for so long is forgotten.')
    .prefault('1ms'),
  quote: integer(0, 512)
    .describe('Bytes of the congesting frame in a message (sfcMinHeaderOctets).')
    .prefault(34),
  priority: integer(0, 7)
    .describe('Priority of the messages; not one that is watched.')
    .prefault(6),
  encapsulation: choice(['auto', ...ENCAPSULATIONS])
    .describe('Around a message; auto: that of the flows, which is IPv4.')
    .prefault('auto'),
  scope: choice(['priority', 'flow'])
    .describe('What a host pauses: the priority, or its flows to the same destination.')
    .prefault('priority'),
  processing: quantity(time)
    .describe('From the last bit of a message to its effect at a host or its edge.')
    .prefault('0ns'),
};

export type SfcSettings = z.output<z.ZodObject<typeof sfcKeys>>;
