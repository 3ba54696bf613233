import type { RateSpec } from '../../engine/contract/rate-control.js';
import type { TimelySettings } from './settings.js';

/** TIMELY of one connection. */
export type TimelySpec = RateSpec & TimelySettings;
