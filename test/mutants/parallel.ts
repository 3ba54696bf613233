/** Does work for each item, so many at a time, in their order. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, worker: number) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async (_: unknown, number: number): Promise<void> => {
    for (const item of rest) await work(item, number);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
