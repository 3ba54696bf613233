/**
 * Keys of rate controls, of source flow control and of slots, as a scenario resolves them: times in
 * ps, rates in bit/s, sizes in octets, shares from 0 to 1. They are declared here, too: a model
 * that reads the wire has to stand without the mechanism that it judges.
 */

/** Names in a row, apart by spaces. */
type Words<Row extends string> = Row extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Row;

type Numbers<Row extends string> = Readonly<Record<Words<Row>, number>>;
type Scaled<Row extends string> = Readonly<Record<Words<Row>, 'auto' | number>>;

export type DcqcnSettings = Numbers<'gain alphaPeriod cutPeriod raisePeriod raiseBytes'> &
  Numbers<'fastCycles activeRate hyperRate minRate'> & {
    readonly variant: 'nic' | 'paper';
    readonly clampTarget: boolean;
  };

export type TimelySettings = Numbers<'low high roundTrip smoothing step minRate decrease'>;

export type HpccSettings = Numbers<'minRate roundTrip utilisation stages increase'>;

export type SwiftSettings = Numbers<'increase decrease maxDecrease initial least most target hop'> &
  Numbers<'flowRange flowLeast flowMost endpointTarget'>;

/** Automatic values are by the rate of the port. */
export type QcnSettings = Numbers<'weight threshold gain minDecrease timeReset'> &
  Scaled<'setPoint sampleBase byteReset activeRate hyperRate minRate'> & {
    readonly priorities: readonly number[];
    readonly defence: string;
    readonly ports: Readonly<Record<string, string>>;
  };

export type CiSettings = Numbers<'priority messages streams flowLife idle'> &
  Scaled<'detect low'> & { readonly enable: boolean };

/** One that detects by free memory, by growth, or ever more likely between two lengths. */
type Detector = Numbers<'dynamic'> | Numbers<'predicted'> | Numbers<'min max probability'>;

export type SfcSettings = Numbers<'minInterval queueInterval pauseMin pauseMax processing'> &
  Scaled<'target pause'> & {
    readonly send: boolean;
    readonly receive: boolean;
    readonly proxy: 'auto' | 'on' | 'off';
    readonly detect: 'auto' | number | Detector;
    readonly whilePaused: 'silent' | 'longest';
    readonly scope: 'priority' | 'flow';
  };

/** Registers of a switch with slots; and of a port of it. */
export type SlotSettings = Numbers<'temporarySlots sourceSlots responseDelayPs'> &
  Readonly<Record<'xoffSlots' | 'cpuPort', number | null>> &
  Readonly<Record<'flowControl' | 'normalQos', boolean>> &
  Readonly<Record<'allocationOrder' | 'multicast', string>> & {
    readonly memory: '1MB' | '2MB';
    readonly classes: Readonly<Record<number, number>>;
  };

export interface SlotPortSettings {
  readonly flowControl: boolean | null;
  readonly fixed: { readonly trafficClass: number } | null;
}
