/** Infrastructure faults, in base units; either at a virtual time or at one of the wall clock. */
export interface InfrastructureSection {
  readonly kind: 'kill' | 'pause';
  readonly victim: 'service' | 'broker' | 'coordinator';
  /** Of a service: a device that it runs. */
  readonly device: string | null;
  readonly atPs: number | null;
  readonly afterPs: number | null;
  readonly lastsPs: number;
}
