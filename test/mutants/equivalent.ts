/** Defects that change nothing that anyone can notice, by hand: a reason for each. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  // YOUNGER 14 -> 15
  'engine/analysis/trace/hop-log#5c061cb3': 'word 15 of a hop is free, and no reader knows YOUNGER',
  // buffers.set(view.buffer, buffer); -> ;
  'engine/kernel/snapshot#380e15a7':
    'each view saves a whole buffer, and restoring writes the same octets once for each',
};
