/** How a fault looks, and how the page of a run injects it. */

/** A link that is down, slow or loses frames; or what a device does wrong. */
export type FaultLook = 'down' | 'slow' | 'lossy' | 'device';

/** What it needs beside where and for how long, and what to begin with. */
export interface FaultForm {
  readonly says: string;
  readonly fields: readonly FaultField[];
}

export interface FaultField {
  readonly key: string;
  readonly text: string;
  readonly choices?: readonly string[];
}
