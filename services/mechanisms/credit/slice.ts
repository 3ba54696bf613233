import type { MechanismSlice } from '../mechanism-slice.js';
import { ailmentOf } from './ailments.js';
import { overdrawnPort } from './books.js';
import { creditNegotiation } from './capability.js';
import type { CreditContext } from './context.js';
import { EXCHANGE } from '../fabric-context.js';
import { EXCHANGE_TABLE } from './exchange-table.js';
import { exchangesOf, stepSpans } from './exchanges.js';
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
  creditLevels,
  creditTable,
  creditTotals,
  lostCreditText,
  wrongCreditText,
} from './results.js';
import { creditOf } from './spec.js';
import { creditApplications, creditTlv, isLiteral } from './tlv.js';
import { creditOverridesSchema, creditSchema } from './settings.js';

/** What a device does by its slice: nothing, since its ports are planned together with links. */
const NO_PLAN = { ofSwitch: () => null };

/** Credit exchange: a port sends only what its link partner has granted buffer for. */
export const creditExchange: MechanismSlice = {
  name: EXCHANGE,
  hasSlot: true,
  create: (tools) => new CreditMechanism(tools),
  plan: () => NO_PLAN,
  results: { collect: () => ({}), published: {} },
};

/** What fabric, runs and reports take of the flow control whose frames start with grants. */
export const credit = {
  name: EXCHANGE,
  /** Of its section, and of the overrides of devices. */
  help: 'Credit exchange on the priorities that have flowControl: credit.',
  schema: creditSchema,
  overrides: creditOverridesSchema,
  section: creditSection,
  changes: creditEnd,
  plan: (context: CreditContext) => new CreditPlan(context),
  sizeOf: creditSize,
  negotiation: creditNegotiation,
  tlv: creditTlv,
  applications: creditApplications,
  isLiteral,
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
  countsOf: ({ credits }: Pick<CreditResults, 'credits'>) => ({ credits }),
  noCounts: { credits: [] } as Pick<CreditResults, 'credits'>,
  table: CREDIT_TABLE,
  exchangeTable: EXCHANGE_TABLE,
  exchangesOf,
  stepSpans,
  counters: creditTotals,
  levels: creditLevels,
  /** Column of time series: units that a port may use. */
  seriesColumn: 'credit_units' as const,
  /** The same between processes. */
  spokenColumn: 'creditUnits' as const,
  /** Why a port waits though there is buffer: it is too far away for so little. */
  loopReason: 'credit-loop' as const,
  published: creditPublished,
  metrics: creditMetrics,
  overdrawnPort,
  ailmentOf,
  faults: { steal: 'steal-credit', stuck: 'stuck-credit' } as const,
  /** What is wrong where books contradict what is stored, or nothing moves. */
  reasons: {
    overdrawn: 'more credit than the buffer can back',
    misbooked: 'units of credit stored = frames stored',
    loop: 'no credit while its link partner has buffer: less than one RTT granted, or some lost',
    deadlock: 'it is part of a deadlock: it waits for credit that only its own frames would free',
    standstill: 'frames wait for credit, and nothing is stored that it waits for',
  },
};
