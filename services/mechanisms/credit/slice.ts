import type { MechanismSlice } from '../mechanism-slice.js';
import { ailmentOf } from './ailments.js';
import { overdrawnPort } from './books.js';
import type { CreditContext } from './context.js';
import { recoveryPs, shaperGapPs, unknownPs } from './times.js';
import { lostCredit } from './lost.js';
import { CreditMechanism } from './mechanism.js';
import { creditEnd, creditSection } from './normalise.js';
import { CreditPlan, creditSize } from './plan.js';
import type { CreditResults } from './results.js';
import {
  CREDIT_TABLE,
  creditCounts,
  creditMetrics,
  creditPublished,
  creditResults,
  creditTable,
  lostCreditText,
  wrongCreditText,
} from './results.js';
import { creditOf } from './spec.js';
import { creditOverridesSchema, creditSchema } from './settings.js';

/** What a device does by its slice: nothing, since its ports are planned together with links. */
const NO_PLAN = { ofSwitch: () => null };

/** Credit exchange: a port sends only what its link partner has granted buffer for. */
export const creditExchange: MechanismSlice = {
  name: 'credit',
  hasSlot: true,
  create: (tools) => new CreditMechanism(tools),
  plan: () => NO_PLAN,
  results: { collect: () => ({}), published: {} },
};

/** What fabric, runs and reports take of the flow control whose frames start with grants. */
export const credit = {
  name: 'credit' as const,
  /** Of its section, and of the overrides of devices. */
  help: 'Credit exchange on the priorities that have flowControl: credit.',
  schema: creditSchema,
  overrides: creditOverridesSchema,
  section: creditSection,
  changes: creditEnd,
  plan: (context: CreditContext) => new CreditPlan(context),
  sizeOf: creditSize,
  specOf: creditOf,
  shaperGapPs,
  unknownPs,
  recoveryPs,
  lost: lostCredit,
  lostOf: ({ lostCredits }: CreditResults) => lostCredits,
  accountsOf: ({ credits }: Pick<CreditResults, 'credits'>) => credits,
  results: creditResults,
  counts: creditCounts,
  memoryText: creditTable,
  wrongText: wrongCreditText,
  lostText: lostCreditText,
  table: CREDIT_TABLE,
  published: creditPublished,
  metrics: creditMetrics,
  overdrawnPort,
  ailmentOf,
  faults: { steal: 'steal-credit', stuck: 'stuck-credit' } as const,
  /** What is wrong where books contradict what is stored, or nothing moves. */
  reasons: {
    overdrawn: 'more credit than the buffer can back',
    misbooked: 'units of credit stored = frames stored',
    standstill: 'frames wait for credit, and nothing is stored that it waits for',
  },
};
