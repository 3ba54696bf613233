import type { Path } from '../../settings/source-tree.js';
import type { MechanismSlice } from '../mechanism-slice.js';
import type { Places } from '../rate-control-slice.js';
import { trimCards } from './card.js';
import { TrimMechanism } from './mechanism.js';
import { TrimPlan } from './plan.js';
import type { TrimTypes } from './results.js';
import { trimResults } from './results.js';
import type { TrimKey } from './settings.js';
import { trimKey } from './settings.js';

/** Two tags, the headers of any transport, and what dissectors look for behind them. */
const LEAST_OCTETS = 88;

export const trim: MechanismSlice<TrimTypes> = {
  name: 'trim',
  slot: null,
  create: (tools) => new TrimMechanism(tools),
  priority: { schema: trimKey.prefault('off'), isFlag: false, check: checkSize },
  alsoCalled: ['packet trimming', 'trimming', 'cut payload'],
  topic:
    'Packet trimming (UE 1.0, SAI): of a packet for which a switch has no buffer it forwards the ' +
    'headers, at a priority of their own, so that the receiver can tell the sender at once. For ' +
    'lossy priorities: `priorities: { 3: { flowControl: none, trim: { priority: 6 } } }`.',
  cuts: (key) => key !== 'off',
  plan: (context) => new TrimPlan(context),
  results: trimResults,
  cards: trimCards,
};

function checkSize(key: TrimKey, path: Path, places: Places): void {
  if (key === 'off' || key.size >= LEAST_OCTETS) return;
  const message = `${key.size} bytes do not hold the headers; write ${LEAST_OCTETS}B or more`;
  throw places.errorAt([...path, 'size'], message);
}
