/** Explanation of an assertion, by its code; a code that explains itself has none. */
const SENTENCES: Readonly<Record<string, string>> = {
  'buffer.release': 'an ingress buffer gives back more octets than it was charged',
  'pool.release': 'a frame record is given back twice',
  'queue.empty': 'a frame is taken from an empty queue',
  'arbiter.choice': 'the arbiter chose a traffic class that may not send',
  'arrival.past': 'a frame would arrive before it is sent',
  'timer.past': 'a timer expires at a time that is over',
  'transmission.past': 'a frame would start at a time that is over',
  'port.unlinked': 'a frame is sent by a port without a link',
  'gate.unknown': 'a gate without a slot holds a priority',
  'rows.foreign': 'a device changed a row of another device',
  'rows.saved': 'a saved device has other rows than the one it is restored to',
  'row.field-outside': 'a field lies outside its row',
  'row.fields-overlap': 'two fields have one place in a row',
  'wire.known-octets': 'a codec does not write the octets that it has read',
  'credit.row-of-port': 'an account of credit lies outside those of its port',
  'credit.spend': 'a sender spends more credit than it has',
  'credit.cursor': 'the cursor of credit messages leaves the accounts of its port',
};

/** A defect of the engine itself. `Engine.run` fills in where and when. */
export class BrokenAssertion extends Error {
  /** Position of the device that was executed, and its virtual time; -1 until they are known. */
  device = -1;
  timePs = -1;

  constructor(readonly code: string) {
    const sentence = SENTENCES[code];
    super(`assertion ${code} failed${sentence === undefined ? '' : `: ${sentence}`}`);
    this.name = 'BrokenAssertion';
  }

  /** Records in which device it was, and when. */
  locate(device: number, name: string, timePs: number): void {
    if (this.device >= 0) return;
    this.device = device;
    this.timePs = timePs;
    this.message += ` (${name}, at ${timePs} ps)`;
  }
}

function fail(code: string): never {
  throw new BrokenAssertion(code);
}

/**
 * Stops the run unless the condition holds. Assertions are checked in every run, where modules of
 * the data path are called, so a condition compares numbers that are at hand anyway. The build
 * turns the call into a condition with a call behind it.
 */
export function assert(condition: boolean, code: string): asserts condition {
  if (!condition) fail(code);
}
