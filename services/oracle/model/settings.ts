/**
 * Keys of rate controls, of source flow control and of slots, as a scenario resolves them: times in
 * ps, rates in bit/s, sizes in octets, shares from 0 to 1. They are declared here, too: a model
 * that reads the wire has to stand without the mechanism that it judges.
 */

type Numbers<Key extends string> = Readonly<Record<Key, number>>;

export interface DcqcnSettings extends Numbers<
  | 'gain'
  | 'alphaPeriod'
  | 'cutPeriod'
  | 'raisePeriod'
  | 'raiseBytes'
  | 'fastCycles'
  | 'activeRate'
  | 'hyperRate'
  | 'minRate'
> {
  readonly variant: 'nic' | 'paper';
  readonly clampTarget: boolean;
}

export type TimelySettings = Numbers<
  'low' | 'high' | 'roundTrip' | 'smoothing' | 'step' | 'minRate' | 'decrease'
>;

export type HpccSettings = Numbers<'minRate' | 'roundTrip' | 'utilisation' | 'stages' | 'increase'>;

export type SwiftSettings = Numbers<
  | 'increase'
  | 'decrease'
  | 'maxDecrease'
  | 'initial'
  | 'least'
  | 'most'
  | 'target'
  | 'hop'
  | 'flowRange'
  | 'flowLeast'
  | 'flowMost'
  | 'endpointTarget'
>;

type Scaled<Key extends string> = Readonly<Record<Key, 'auto' | number>>;

/** Automatic values are by the rate of the port. */
export interface QcnSettings
  extends
    Numbers<'weight' | 'threshold' | 'gain' | 'minDecrease' | 'timeReset'>,
    Scaled<'setPoint' | 'sampleBase' | 'byteReset' | 'activeRate' | 'hyperRate' | 'minRate'> {
  readonly priorities: readonly number[];
  readonly defence: string;
  readonly ports: Readonly<Record<string, string>>;
}

/** One that detects by free memory, by growth, or ever more likely between two lengths. */
type Detector = { readonly dynamic: number } | { readonly predicted: number } | RisingDetector;

interface RisingDetector {
  readonly min: number;
  readonly max: number;
  readonly probability: number;
}

export interface SfcSettings extends Numbers<
  'minInterval' | 'queueInterval' | 'pauseMin' | 'pauseMax' | 'processing'
> {
  readonly send: boolean;
  readonly receive: boolean;
  readonly proxy: 'auto' | 'on' | 'off';
  readonly detect: 'auto' | number | Detector;
  readonly target: 'auto' | number;
  readonly pause: 'auto' | number;
  readonly whilePaused: 'silent' | 'longest';
  readonly scope: 'priority' | 'flow';
}

/** Registers of a switch with slots; those of a port are `SlotPortSettings`. */
export interface SlotSettings extends Numbers<
  'temporarySlots' | 'sourceSlots' | 'responseDelayPs'
> {
  readonly memory: '1MB' | '2MB';
  readonly classes: Readonly<Record<number, number>>;
  readonly xoffSlots: number | null;
  readonly allocationOrder: string;
  readonly flowControl: boolean;
  readonly normalQos: boolean;
  readonly multicast: string;
  readonly cpuPort: number | null;
}

export interface SlotPortSettings {
  readonly flowControl: boolean | null;
  readonly fixed: { readonly trafficClass: number } | null;
}
