/** A scenario in the notation of its file: it is varied and shrunk, and finally written. */
export type Document = Readonly<Record<string, unknown>>;

export type FaultEntry = Readonly<Record<string, unknown>>;

/** The entries of a list section; none if it is absent. */
export function entriesOf(document: Document, section: string): readonly FaultEntry[] {
  const entries = document[section];
  return Array.isArray(entries) ? (entries as FaultEntry[]) : [];
}

/** Faults and expectations refer to names, and are removed with what they name. */
export function withEntries(
  document: Document,
  section: string,
  entries: readonly FaultEntry[],
): Document {
  return { ...document, [section]: entries };
}
