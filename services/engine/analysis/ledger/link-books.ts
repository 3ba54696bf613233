import type { ChargeBook, Mechanism } from '../../contract/flow-control.js';
import { DROP } from '../../contract/probe.js';
import { assert } from '../../kernel/assert.js';
import { PRIORITY_NUMBERS } from '../../units/ethernet.js';
import type { Engine } from '../../device/engine.js';
import { forEachNotTaken } from './frames-underway.js';

/** A port, numbered through the service, and what does not hold at the link that ends there. */
interface BrokenLink {
  readonly port: number;
  readonly what: string;
}

/**
 * The first link of which a mechanism's books contradict what is under way; null if there is none.
 * Where a fault was, frames and messages may have been lost, or come twice.
 */
export function brokenLink(engine: Engine): BrokenLink | null {
  const { mechanisms, faults } = engine;
  const { ports } = engine.shared;
  const checked = mechanisms.filter((mechanism) => mechanism.brokenOnLink !== undefined);
  for (let port = 0; port < ports.count; port++) {
    const peer = ports.peer(port);
    if (peer < 0 || faults.mayLose(port) || faults.mayLose(peer)) continue;
    if (hasDiscarded(engine, peer)) continue;
    for (const mechanism of checked) {
      const what = mechanism.brokenOnLink!(port, (visit) => {
        forEachNotTaken(engine, port, visit);
      });
      if (what !== null) return { port, what };
    }
  }
  return null;
}

/** The link layer of a port has discarded frames that had started: it was not ready for them. */
function hasDiscarded({ shared: { ports, counters } }: Engine, port: number): boolean {
  if (!ports.hasLinkLayer(port)) return false;
  return PRIORITY_NUMBERS.some((p) => counters.drops(port, p, DROP.LINK_NOT_READY) > 0);
}

/** Of all ports. */
const ACCOUNTS_MOST = 1 << 24;

/** Adds up what frames bear for the accounts of mechanisms, to compare it with their books. */
export class ChargeSums {
  private readonly books: readonly (Mechanism & ChargeBook)[];
  /** By book, port and account. */
  private readonly sums: readonly Map<number, number>[];

  constructor(private readonly engine: Engine) {
    this.books = engine.mechanisms.filter(isChargeBook);
    this.sums = this.books.map(() => new Map<number, number>());
  }

  /** A frame with these tags bears so many units. */
  add(port: number, priority: number, vlans: number, units: number): void {
    this.books.forEach((book, b) => {
      const account = book.accountOf(port, priority, vlans);
      if (account < 0) return;
      const key = keyOf(port, account);
      this.sums[b].set(key, (this.sums[b].get(key) ?? 0) + units);
    });
  }

  /** The first port whose accounts hold other units than frames bear; -1 if there is none. */
  wrongPort(): number {
    for (let port = 0; port < this.engine.shared.ports.count; port++) {
      if (this.books.some((book, b) => this.isWrong(book, b, port))) return port;
    }
    return -1;
  }

  private isWrong(book: ChargeBook, b: number, port: number): boolean {
    return book.accountsAt(port).some((account) => {
      const sum = this.sums[b].get(keyOf(port, account)) ?? 0;
      return sum !== book.chargedUnits(port, account);
    });
  }
}

function keyOf(port: number, account: number): number {
  assert(account < ACCOUNTS_MOST, 'charges.account-of-key');
  return port * ACCOUNTS_MOST + account;
}

function isChargeBook(mechanism: Mechanism): mechanism is Mechanism & ChargeBook {
  return mechanism.accountOf !== undefined;
}
