/**
 * Receiver-credit congestion control at a receiver: one pacer a NIC. Connections that want more
 * than they were granted take turns; each is granted an amount, and the next one when a link at a
 * little less than its rate would have received it. It relies on totals: a connection is in the
 * list of its NIC exactly while it wants more.
 */

import type { TransportEnds } from '../../engine/contract/transport.js';
import { SAY_MORE } from '../../engine/contract/transport.js';
import { assert } from '../../engine/kernel/assert.js';
import { assertFields, field } from '../../engine/kernel/fields.js';
import { unknown } from '../../engine/kernel/kinds.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { RECEIVED_MODULO, RECEIVED_UNIT } from '../../engine/wire/uet.js';
import { TARGET_MODULO } from './credit.js';
import type { CreditSpec } from './spec.js';

// Words of a receiving end, in doubles.

/** Units that are wanted, and that were granted, in all. */
const WANTED = 0;
const GRANTED = 1;
/** The connection behind it in the list, and whether it is in the list. */
const NEXT = 2;
const IS_LISTED = 3;
const STRIDE = 4;
assertFields(STRIDE, WANTED, GRANTED, NEXT, IS_LISTED);

// Words of a NIC: connections of the device are counted from 1, and 0 is none.

const FIRST = 0;
const LAST = 1;
/** When the next amount may be granted. */
const FREE_AT = 2;
const NIC_STRIDE = 3;
assertFields(NIC_STRIDE, FIRST, LAST, FREE_AT);

/** Where a receiving end is. */
interface Place {
  readonly row: number;
  readonly device: number;
  /** The first connection of the device. */
  readonly first: number;
  /** Time of an octet on the link of its NIC. */
  readonly octetPs: number;
}

export function makePacer(tables: Tables, ends: TransportEnds) {
  const state = tables.float64('transport', field('paced', unknown(0), STRIDE));
  const nics = tables.float64('device', field('pacer', unknown(0), NIC_STRIDE));
  const places: Place[] = [];
  const specs: CreditSpec[] = [];

  function configure(c: number, spec: CreditSpec, place: Place): void {
    places[c] = place;
    specs[c] = spec;
  }

  /** A packet says which total its sender wants; one that was overtaken says less. */
  function wants(c: number, total: number): void {
    const s = places[c].row * STRIDE;
    const more = (total - (state[s + WANTED] % TARGET_MODULO) + TARGET_MODULO) % TARGET_MODULO;
    if (more < TARGET_MODULO / 2) state[s + WANTED] += more;
    list(c);
  }

  /** So many octets are to be sent again. */
  function wantsAgain(c: number, octets: number): void {
    state[places[c].row * STRIDE + WANTED] += Math.ceil(octets / RECEIVED_UNIT);
    list(c);
  }

  function list(c: number): void {
    const { row, device, first } = places[c];
    const s = row * STRIDE;
    if (state[s + IS_LISTED] !== 0 || state[s + WANTED] <= state[s + GRANTED]) return;
    const n = device * NIC_STRIDE;
    const number = c - first + 1;
    state[s + IS_LISTED] = 1;
    state[s + NEXT] = 0;
    const last = nics[n + LAST];
    nics[n + LAST] = number;
    if (last !== 0) {
      state[places[first + last - 1].row * STRIDE + NEXT] = number;
      return;
    }
    nics[n + FIRST] = number;
    ends.pace(device, Math.max(ends.clock.now, nics[n + FREE_AT]));
  }

  /** The connection whose turn it is is granted an amount. `first`: that of the device. */
  function turn(device: number, first: number): void {
    const n = device * NIC_STRIDE;
    assert(nics[n + FIRST] !== 0, 'uet.pacer-has-a-connection');
    const c = first + nics[n + FIRST] - 1;
    const s = places[c].row * STRIDE;
    const { grantUnits, share } = specs[c];
    nics[n + FIRST] = state[s + NEXT];
    if (nics[n + FIRST] === 0) nics[n + LAST] = 0;
    state[s + IS_LISTED] = 0;
    const units = Math.min(grantUnits, state[s + WANTED] - state[s + GRANTED]);
    assert(units > 0, 'uet.granted-was-wanted');
    state[s + GRANTED] += units;
    const octets = units * RECEIVED_UNIT;
    nics[n + FREE_AT] = ends.clock.now + Math.ceil((octets * places[c].octetPs) / share);
    const isOthers = nics[n + FIRST] !== 0;
    ends.tell(device, c, SAY_MORE);
    list(c);
    // A list that was empty is paced where its first connection joins it.
    if (isOthers) ends.pace(device, nics[n + FREE_AT]);
  }

  function total(c: number): number {
    return state[places[c].row * STRIDE + GRANTED] % RECEIVED_MODULO;
  }

  function broken(c: number): string | null {
    const s = places[c].row * STRIDE;
    if (state[s + GRANTED] > state[s + WANTED]) return 'uet: nothingIsGrantedThatIsNotWanted';
    const isDue = state[s + WANTED] > state[s + GRANTED];
    return isDue === (state[s + IS_LISTED] !== 0) ? null : 'uet: whoWantsMoreIsInTheList';
  }

  return { configure, wants, wantsAgain, turn, total, broken };
}
