import { EXCHANGE } from '../fabric-context.js';
import { NO_GRANT, type MechanismSlice } from '../mechanism-slice.js';
import { creditCards } from './card.js';
import { creditConformance } from './conformance.js';
import { ailmentOf } from './ailments.js';
import { overdrawnPort } from './books.js';
import { checkCredit } from './check.js';
import { codecBetween } from './codec.js';
import { creditGranting } from './granting.js';
import { CreditMechanism } from './mechanism.js';
import { CreditPlan } from './plan.js';
import { type CreditTypes, creditResults } from './results.js';
import { creditEndKeys, creditKeys } from './settings.js';
import { shortageOf } from './shortage.js';
import { creditOf } from './spec.js';
import { advertiseCredit } from './tlv.js';

const HELP = 'Credit exchange on the priorities that have flowControl: credit.';

/** Credit exchange: a port sends only what its link partner has granted buffer for. */
export const credit: MechanismSlice<CreditTypes> = {
  name: EXCHANGE,
  blocks: NO_GRANT,
  waits: {
    on: 'grants',
    shortage: (_plan, _device, _port, { spec, priority, channel }) =>
      shortageOf(creditOf(spec), priority, channel),
  },
  slot: 2,
  create: (tools) => new CreditMechanism(tools),
  flowControl: {
    fallback: ({ fallback }) => fallback,
    codec: { key: 'codec', remedy: 'codec: both at one of them', between: codecBetween },
  },
  granting: creditGranting,
  section: {
    keys: creditKeys,
    help: HELP,
    helpOfChanges: 'Changes to what this device grants and asks for.',
    keysOfDevices: creditEndKeys,
    check: checkCredit,
  },
  plan: (context) => new CreditPlan(context),
  sizes: (plan, device) => plan.sizes(device),
  advertise: advertiseCredit,
  checks: {
    books: { what: 'more credit than the buffer can back', wrongPort: overdrawnPort },
    ailmentOf,
  },
  conformance: creditConformance,
  results: creditResults,
  cards: creditCards,
};
