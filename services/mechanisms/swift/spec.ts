import type { RateSpec } from '../../engine/contract/rate-control.js';
import type { LimitedFlow } from '../rate-control-slice.js';
import type { SwiftSettings } from './settings.js';

/** Swift of one connection. */
export type SwiftSpec = RateSpec & SwiftSettings & Pick<LimitedFlow, 'packetOctets' | 'hops'>;
