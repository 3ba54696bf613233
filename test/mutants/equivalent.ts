/** Defects that change nothing that anyone can notice, by hand: a reason for each. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  // YOUNGER 14 -> 15
  'engine/analysis/trace/hop-log#5c061cb3': 'word 15 of a hop is free, and no reader knows YOUNGER',
  // buffers.set(view.buffer, buffer); -> ;
  'engine/kernel/snapshot#380e15a7':
    'each view saves a whole buffer, and restoring writes the same octets once for each',
  // firstPort + port -> firstPort - port
  'mechanisms/sfc/station#4fb86c62': 'a station has one port, whose number is 0',
  // boundUs * GIGABIT_PS * 1e12 -> 1000000000001
  'mechanisms/mvtx2802/plan#d1f8bb29': 'rounding to picoseconds hides one part in 10^12',
  // port * PORT_WORDS + READY -> port / PORT_WORDS + READY
  'engine/port/queues#b4383eaa': 'it only tells what to load into the cache beforehand',
  // layer2: false -> true
  'engine/wire/lldp/capability-tlvs#e648bdfb':
    'who makes a blank record says what it has, or decodes all of it',
};
