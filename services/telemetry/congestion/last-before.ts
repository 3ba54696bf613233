/** The index of the last that began at a time or before it; -1: none did. */
export function lastBefore(items: readonly { readonly startPs: number }[], timePs: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.startPs <= timePs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
