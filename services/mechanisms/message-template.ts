import type { NoticeEnds } from '../engine/notices/notice-envelope.js';
import type { Envelope } from '../engine/wire/congestion-message.js';
import type { Priority } from '../engine/units/indices.js';

/** A message of a mechanism that crosses the fabric, as the fault `forge` composes it. */
export interface MessageTemplate {
  /** The fault names it so. */
  readonly frames: string;
  readonly encapsulation: NoticeEnds['encapsulation'];
  /** Keys of the fault that it has beside the host that receives it, and a priority. */
  readonly keys: readonly TemplateKey[];
  /** For how long the source pauses, unless the fault has `pause`. */
  readonly pauseDefault?: string;
  /** Writes a frame without FCS that is valid in the fabric; returns its octets. */
  encode(octets: Uint8Array, envelope: Envelope, content: ForgedContent): number;
}

export type TemplateKey = 'source' | 'pause';

interface ForgedContent {
  /** Addresses: of the device that appears to send it, and of the alleged source of congestion. */
  readonly mac: number;
  readonly source: number;
  /** The first flow of the host that receives it: its destination. */
  readonly destination: number;
  /** Of the fault, or of that flow. */
  readonly priority: Priority;
  /** Null: as the mechanism itself would write. */
  readonly pausePs: number | null;
  /** The first connection of the host that this rate control limits; 0 if there is none. */
  readonly connectionOf: (rateControl: string) => number;
}
