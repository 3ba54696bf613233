import type { Engine } from '../../services/engine/device/engine.js';
import { PfcMechanism } from '../../services/mechanisms/pfc/mechanism.js';

/** PFC of an engine, for tests that look into it. */
export function pfcOf(engine: Engine): PfcMechanism {
  const pfc = engine.mechanisms.find((own) => own instanceof PfcMechanism);
  if (pfc === undefined) throw new Error('no PFC');
  return pfc;
}
