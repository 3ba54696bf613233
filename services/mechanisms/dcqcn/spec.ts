import type { RateSpec } from '../../engine/contract/rate-control.js';
import type { DcqcnSettings } from './settings.js';

/** The reaction point of one connection. */
export type DcqcnSpec = RateSpec & DcqcnSettings;
