import { packClasses } from '../../engine/nic-82599/up-to-tc.js';
import { registerDump } from '../../engine/nic-82599/register-dump.js';
import type { NicSlice } from '../nic-slice.js';
import { nicCards } from './card.js';
import { nicConformance } from './conformance.js';
import { lastingDifference, registerChanges } from './changes.js';
import { checkVms, NEEDS_OF_LOCAL_FLOW, NEEDS_OF_MAP } from './check.js';
import { withInsertedVlans } from './inserted-vlans.js';
import { nicSection } from './normalise.js';
import { nicPanel } from './panel.js';
import { nicSpec } from './plan.js';
import { partOf, portPairs } from './ports.js';
import { registerText, registerValue } from './register-values.js';
import { tableOfRegisters } from './registers.js';
import { METRICS, type Nic82599Result, nicResults } from './results.js';
import type { Nic82599Section } from './section.js';
import { nicSchema, TOPICS } from './settings.js';
import { Nic82599Shares } from './share-check.js';
import { nicTables, nicTitle, registerDumpText } from './tables.js';

/** The whole part, after its data sheet. */
export const nic82599: NicSlice<Nic82599Section, Nic82599Result, keyof typeof METRICS> = {
  called: 'an 82599',
  schema: nicSchema,
  section: nicSection,
  spec: nicSpec,
  tableOfRegisters,
  partOf,
  portPairs,
  withInsertedVlans,
  checkVms,
  needsOfLocalFlow: NEEDS_OF_LOCAL_FLOW,
  registerChanges,
  lastingDifference,
  mapOf: packClasses,
  needsOfMap: NEEDS_OF_MAP,
  conformance: nicConformance,
  results: nicResults,
  cards: nicCards,
  panel: nicPanel,
  title: nicTitle,
  tables: nicTables,
  registerValue,
  registerText,
  dump: ({ registers }: Nic82599Result) => registerDump(registers),
  dumpText: registerDumpText,
  shares: ({ hosting }, device) => new Nic82599Shares(hosting.parts(device).nic!),
  lossReason: (tc: number): string =>
    `receive buffer ${tc} of its 82599 was full above the high watermark; ` +
    `lower watermarks.${tc}.high of the nic`,
  metrics: METRICS,
  topics: TOPICS,
};
