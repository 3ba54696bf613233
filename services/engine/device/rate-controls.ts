import { DcqcnReaction } from '../congestion/dcqcn/dcqcn-mechanism.js';
import { Hpcc } from '../congestion/hpcc/hpcc-mechanism.js';
import { QcnReaction } from '../congestion/qcn/qcn-mechanism.js';
import { Swift } from '../congestion/swift/swift-mechanism.js';
import { Timely } from '../congestion/timely/timely-mechanism.js';
import type { RateControl, RateHost } from '../contract/rate-control.js';
import type { RateSpec } from '../contract/spec.js';
import type { Tables } from '../kernel/tables.js';

export type RateControls = Readonly<Record<RateSpec['kind'], RateControl>>;

/** The registry of what limits the rates of connections. */
export function makeRateControls(tables: Tables, host: RateHost): RateControls {
  return {
    dcqcn: new DcqcnReaction(tables, host),
    qcn: new QcnReaction(tables, host),
    timely: new Timely(tables, host),
    hpcc: new Hpcc(tables, host),
    swift: new Swift(tables, host),
  };
}
