import { buildFabric, type Fabric } from '../fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../fabric/scenario/load-scenario.js';
import { evaluateExpectations } from '../report/expectations.js';
import { Session } from '../runtime/session.js';
import { ScenarioError } from '../settings/errors.js';
import type { Document } from './document.js';

/** Outcome of one run. */
export interface Verdict {
  /** Null if everything holds. */
  readonly reason: string | null;
  readonly digest: string;
  readonly virtualPs: number;
  readonly devices: number;
}

/** Changes a run before it begins; tests plant defects this way. */
export type Prepare = (session: Session) => void;

const WALL_BUDGET_MS = 1000;

/**
 * Runs a document with every check on, `deep` with the second oracle; throws a ScenarioError if it
 * is invalid.
 */
export function tryOut(
  file: string,
  document: Document,
  prepare: Prepare | null,
  deep = false,
): Verdict {
  const scenario = scenarioOfDocument(file, document);
  let fabric: Fabric;
  try {
    fabric = buildFabric(scenario);
  } catch (error) {
    if (error instanceof ScenarioError) throw error;
    return notRun(notAssembled(error));
  }
  const session = new Session(fabric, { check: true, deep });
  prepare?.(session);
  const devices = fabric.topology.devices.length;
  try {
    while (session.advance(WALL_BUDGET_MS) === 'running');
  } catch (error) {
    const { virtualPs } = session.progress();
    return { reason: `error: ${(error as Error).message}`, digest: '', virtualPs, devices };
  }
  const results = session.results('complete');
  const { failure, digest, virtualPs } = results;
  const unmet = evaluateExpectations(fabric.scenario.expect, results).find(({ ok }) => !ok);
  const reason = failure?.reason ?? (unmet === undefined ? null : `expected ${unmet.text}`);
  return { reason, digest, virtualPs, devices };
}

/** Why a scenario that says nothing wrong was not assembled: a defect, as a broken assertion is. */
export function notAssembled(error: unknown): string {
  return `assembly: ${String(error)}`;
}

export function notRun(reason: string): Verdict {
  return { reason, digest: '', virtualPs: 0, devices: 0 };
}

/** Signature of a failure: without device, port and time. */
export function signatureOf(reason: string): string {
  return reason.replace(/\d[\d.,:]*( ?[munp]?s\b)?/g, '#').replace(/fault#?\S* was/, 'a fault was');
}
