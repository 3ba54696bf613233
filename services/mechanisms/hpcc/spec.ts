import type { RateSpec } from '../../engine/contract/rate-control.js';
import type { LimitedFlow } from '../rate-control-slice.js';
import type { HpccSettings } from './settings.js';

/** HPCC of one connection. */
export type HpccSpec = RateSpec & HpccSettings & Pick<LimitedFlow, 'packetOctets'>;
