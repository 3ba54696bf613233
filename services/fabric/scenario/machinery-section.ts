/** What breaks the processes of a run, in base units; either a virtual time or one of the clock. */
export interface MachinerySection {
  readonly kind: 'kill' | 'pause';
  readonly victim: 'service' | 'broker' | 'coordinator';
  /** Of a service: a device that it runs. */
  readonly device: string | null;
  readonly atPs: number | null;
  readonly afterPs: number | null;
  readonly lastsPs: number;
}
