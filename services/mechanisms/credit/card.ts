import type { Card, CardFormat } from '../mechanism-slice.js';
import type { CreditResult, CreditResults } from './results.js';

/** The accounts whose buffer was fullest, what ends contradicted, and what is lost. */
export function creditCards(results: CreditResults, format: CardFormat): Card[] {
  return [
    fullest(results, format),
    unused(results, format),
    contradicted(results, format),
    lost(results, format),
  ];
}

function fullest({ credits }: CreditResults, { count, octets }: CardFormat): Card {
  const full = [...credits].sort(
    (a, b) =>
      b.peakOccupied / b.bufferUnits - a.peakOccupied / a.bufferUnits || b.received - a.received,
  );
  const inOctets = (c: CreditResult, units: number): string => octets(units * c.unitOctets);
  const head = ['credit port', 'priority', 'channel', 'peak', 'of', 'loop'];
  return {
    title: 'Credit, fullest buffer first',
    head: [...head, 'recovered', 'resyncs', 'violations'],
    rows: full.map((c) => [
      ...[c.port, String(c.priority), String(c.channel)],
      ...[c.peakOccupied, c.bufferUnits, c.neededUnits].map((units) => inOctets(c, units)),
      ...[count(c.recovered), count(c.resyncs), count(c.violations)],
    ]),
  };
}

/** Credit that was granted and not used: at its sender, and back in the buffer of its receiver. */
function unused({ credits }: CreditResults, { count }: CardFormat): Card {
  const moved = ({ aged, revoked, recovered }: CreditResult): number => aged + revoked + recovered;
  return {
    title: 'Credit aged, revoked and recovered, in units',
    head: ['port', 'priority', 'channel', 'aged', 'revoked', 'recovered', 'resyncs', 'reclaims'],
    rows: credits
      .filter((account) => moved(account) > 0)
      .sort((a, b) => moved(b) - moved(a))
      .map((c) => [
        ...[c.port, String(c.priority), String(c.channel)],
        ...[c.aged, c.revoked, c.recovered, c.resyncs, c.reclaims].map(count),
      ]),
  };
}

/** Accounts whose ends received implausible totals. */
function contradicted({ credits }: CreditResults, { count }: CardFormat): Card {
  const lines = credits.flatMap((account) => {
    const { port, priority, channel, wrongTotals, violations, contradictions } = account;
    const found = [
      ...(wrongTotals > 0 ? [`${count(wrongTotals)} wrong totals refused`] : []),
      ...(violations > 0 ? [`${count(violations)} units received without credit`] : []),
      ...(contradictions > 0 ? [`${count(contradictions)} reports contradicted`] : []),
    ];
    if (found.length === 0) return [];
    return [`${port} priority ${priority} channel ${channel}: ${found.join(', ')}`];
  });
  return { title: 'Credit contradicted', isProblem: true, lines };
}

/** Lost credit, and accounts that starve for it. */
function lost({ lostCredits }: CreditResults, { count, time }: CardFormat): Card {
  const lines = lostCredits.map(({ port, peer, priority, channel, units, blockedSincePs }) => {
    const account = `${port} priority ${priority} channel ${channel}`;
    const what = `${account}: ${count(units)} units between it and ${peer} are lost`;
    return blockedSincePs === null ? what : `${what}; starved since ${time(blockedSincePs)}`;
  });
  return { title: 'Credit lost', isProblem: true, lines };
}
