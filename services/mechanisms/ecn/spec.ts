/** Marking of one traffic class. */
export type EcnSpec =
  | { readonly kind: 'off' }
  | {
      readonly kind: 'red';
      readonly minOctets: number;
      readonly maxOctets: number;
      readonly probability: number;
      readonly at: EcnMoment;
    }
  | { readonly kind: 'step'; readonly thresholdOctets: number; readonly at: EcnMoment }
  /** As a part from outside decides for every frame, by its name. */
  | {
      readonly kind: 'outside';
      readonly name: string;
      readonly settings: object;
      readonly at: EcnMoment;
    };

/** When the queue of a frame is measured. */
export type EcnMoment = 'dequeue' | 'enqueue';

export interface EcnSwitchSpec {
  /** By traffic class, the same at every port. */
  readonly classes: readonly EcnSpec[];
}
