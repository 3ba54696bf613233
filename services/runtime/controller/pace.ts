/** How far a run goes before it pauses. */
export type Pace =
  | { readonly kind: 'free' }
  | { readonly kind: 'paused' }
  /** One advance, however long it is. */
  | { readonly kind: 'single' }
  /** From the bound at which it is next. */
  | { readonly kind: 'for'; readonly spanPs: number }
  | { readonly kind: 'to'; readonly endPs: number };

/** Whether a run pauses whose earliest event, or end, is at a time. */
export function pausesAt(pace: Pace, nextPs: number): boolean {
  return pace.kind === 'paused' || (pace.kind === 'to' && nextPs >= pace.endPs);
}
