import type { z } from 'zod';
import { choice, either, flag, integer, list, quantity, word } from '../../settings/parts.js';
import { aboveZero, size, time } from '../../settings/quantities.js';
import type { ProfileName } from './profiles.js';
import { PROFILES, profileText } from './profiles.js';
import { FRAME_ACTIONS } from './spec.js';

const PROFILE_NAMES = Object.keys(PROFILES) as ProfileName[];
export const FRAMES_MOST = 524_288;
/** A register has 8 bits. */
export const REPLAYS_MOST = 255;
const SPACING_LEAST = 400;
const SPACING_MOST = 16_384;

const auto = word('auto');
const duration = either([auto, quantity(aboveZero(time))], 'a time', 'auto, or a time such as 5us');

/** Names and defaults are those of public descriptions of the Ultra Ethernet link layer. */
export const llrKeys = {
  enabled: flag()
    .describe('Ports run link-level retry with link partners that do. Default: they do not.')
    .prefault(false),
  priorities: either(
    [word('all'), list(integer(0, 7), 'priorities such as [3]')],
    'priorities',
    'all, or a list such as [3, 4]',
  )
    .describe('Whose frames are numbered and sent again; the others are dropped when bad.')
    .prefault('all'),
  profile: choice(['auto', ...PROFILE_NAMES])
    .describe(
      'Limits and timers that are not given: of hardware for a rate and length, or auto: from ' +
        `the round trip of the link. ${PROFILE_NAMES.map(profileText).join('; ')}; spacing 2048.`,
    )
    .prefault('auto'),
  frames: either(
    [auto, integer(1, FRAMES_MOST)],
    'a number of frames',
    `auto, or 1 to ${FRAMES_MOST}`,
  )
    .describe('Most frames that may be sent and not acknowledged (OUTSTANDING_FRAMES_MAX).')
    .prefault('auto'),
  bytes: either([auto, quantity(aboveZero(size))], 'a size', 'auto, or a size such as 64KB')
    .describe('From so many bytes outstanding on no frame starts (OUTSTANDING_BYTES_MAX).')
    .prefault('auto'),
  replayTimer: duration
    .describe(
      'All that is outstanding is sent again when nothing was acknowledged for so long; auto: ' +
        'two round trips.',
    )
    .prefault('auto'),
  replays: either([auto, integer(1, REPLAYS_MOST)], 'a number of replays', 'auto, or 1 to 255')
    .describe('Replays without progress, after which the sender flushes. Auto: 3.')
    .prefault('auto'),
  pcsLostTimeout: duration
    .describe('A link that is down for so long is flushed. Auto: 10 replay timers.')
    .prefault('auto'),
  dataAgeTimeout: duration
    .describe('A frame that is outstanding for so long causes a flush. Auto: 16 replay timers.')
    .prefault('auto'),
  spacing: either(
    [auto, integer(SPACING_LEAST, SPACING_MOST)],
    'a number of bytes',
    'auto, or 400 to 16384',
  )
    .describe('Bytes of line time between two acknowledgements, at least. Auto: 2048.')
    .prefault('auto'),
  whileInit: choice([...FRAME_ACTIONS])
    .describe(
      'Frames that would be numbered, while the sender initialises: sent without retry, blocked, ' +
        'or discarded (INIT_LLR_FRAME_ACTION).',
    )
    .prefault('best-effort'),
  whileFlush: choice([...FRAME_ACTIONS])
    .describe(
      'The same when the sender has flushed, until it initialises: while its link is down, or ' +
        'for good without reinitialise (FLUSH_LLR_FRAME_ACTION).',
    )
    .prefault('best-effort'),
  reinitialise: flag()
    .describe('A sender that has flushed initialises by itself; else it stays down.')
    .prefault(true),
};

export type LlrSettings = z.output<z.ZodObject<typeof llrKeys>>;
