import type { Nic82599 } from '../../engine/nic-82599/nic.js';
import { packClasses } from '../../engine/nic-82599/up-to-tc.js';
import { registerDump } from '../../engine/nic-82599/register-dump.js';
import { nicCards } from './card.js';
import { lastingDifference, registerChanges } from './changes.js';
import { checkLocalFlows, checkVms, NEEDS_OF_MAP } from './check.js';
import { withInsertedVlans } from './inserted-vlans.js';
import { nicSection } from './normalise.js';
import { nicPanel } from './panel.js';
import { nicSpec } from './plan.js';
import { partOf, portPairs } from './ports.js';
import { registerText, registerValue } from './register-values.js';
import { tableOfRegisters } from './registers.js';
import { METRICS, nicResults } from './results.js';
import { nicSchema, TOPICS } from './settings.js';
import { NicShares } from './share-check.js';
import { nicTables, nicTitle, registerDumpText } from './tables.js';

/** A NIC that is more than a queue for each class: from its keys to what its actor is given. */
export const nic82599 = {
  /** As help calls one. */
  called: 'an 82599',
  /** Of `nic`, which may be a plain one, too. */
  schema: nicSchema,
  section: nicSection,
  spec: nicSpec,
  tableOfRegisters,
  partOf,
  portPairs,
  withInsertedVlans,
  checkVms,
  checkLocalFlows,
  /** From one of them to another while it runs. */
  registerChanges,
  lastingDifference,
  /** What a fault writes in the place of the classes of priorities, and what it needs. */
  mapOf: packClasses,
  needsOfMap: NEEDS_OF_MAP,
  results: nicResults,
  /** What the summary and the page show of all of them. */
  cards: nicCards,
  /** What the page shows of each. */
  panel: nicPanel,
  /** What `selvage inspect` prints of one: tables, registers by name, and all by address. */
  title: nicTitle,
  tables: nicTables,
  registerValue,
  registerText,
  dump: registerDump,
  dumpText: registerDumpText,
  shares: (nic: Nic82599) => new NicShares(nic),
  /** Why a lossless frame was lost in a receive buffer. */
  lossReason: (tc: number): string =>
    `receive buffer ${tc} of its 82599 was full above the high watermark; ` +
    `lower watermarks.${tc}.high of the nic`,
  metrics: METRICS,
  topics: TOPICS,
};
