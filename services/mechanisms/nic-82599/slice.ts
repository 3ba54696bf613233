import type { Nic82599 } from '../../engine/nic-82599/nic.js';
import { packClasses } from '../../engine/nic-82599/up-to-tc.js';
import { nicCards } from './card.js';
import { lastingDifference, registerChanges } from './changes.js';
import { checkLocalFlows, checkVms, NEEDS_OF_MAP } from './check.js';
import { withInsertedVlans } from './inserted-vlans.js';
import { nicSection, registerPlace } from './normalise.js';
import { nicSpec } from './plan.js';
import { partOf, portPairs } from './ports.js';
import { tableOfRegisters } from './registers.js';
import { METRICS, nicResults } from './results.js';
import { nicSchema, TOPICS } from './settings.js';
import { NicShares } from './share-check.js';

/** A NIC that is more than a queue for each class: from its keys to what its actor is given. */
export const nic82599 = {
  /** Of `nic`, which may be a plain one, too. */
  schema: nicSchema,
  section: nicSection,
  /** A register or a field by its name. */
  registerPlace,
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
  shares: (nic: Nic82599) => new NicShares(nic),
  /** Why a lossless frame was lost in a receive buffer. */
  lossReason: (tc: number): string =>
    `receive buffer ${tc} of its 82599 was full above the high watermark; ` +
    `lower watermarks.${tc}.high of the nic`,
  metrics: METRICS,
  topics: TOPICS,
};
