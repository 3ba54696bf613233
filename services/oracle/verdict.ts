/** What the oracle found: the first breach, and which rules it judged. */

export interface DeepBreach {
  readonly reason: string;
  readonly timePs: number;
  readonly device: number;
  readonly port: number;
  readonly priority: number | null;
}

/** Rules by name, each with the clauses that it recomputes. */
const RULES = {
  wire: 'transmission and arrival times (802.3 3.1, 4.4.2)',
  conservation: 'every frame leaves once, unchanged, in order, or is dropped for a reason',
  routes: 'every hop is on a shortest path',
  buffers: 'admission by reservation, shared pool and headroom',
  negotiation: 'what link partners come to by DCBX (802.1Q 38.4)',
  'pause-initiator': 'XOFF, refresh and XON (802.1Q 36.1.3.2, 802.3 31B.3.1)',
  'pause-responder': 'no frame of a paused priority starts (802.1Q 36.1.3.3, 802.3 31B.3.3)',
  work: 'a frame that may start does, as soon as the link is free',
  credit: 'books of credit exchange, from octets',
  cbfc: 'books of CBFC, from octets',
  'link-retry': 'sequence numbers and replays of link-level retry',
  rates: 'rates of senders from what they received',
  messages: 'triggers of QCN, source flow control and congestion isolation',
  marking: 'ECN marks from queue lengths (RFC 3168)',
  arbiter: 'which class is served (802.1Q 8.6.8, 37)',
  figures: 'figures of results, counted on the wires',
} as const;

export type RuleName = keyof typeof RULES;

export interface DeepSummary {
  readonly judged: readonly RuleName[];
  readonly notJudged: readonly { readonly rule: RuleName; readonly why: readonly string[] }[];
}

export interface Place {
  readonly device: number;
  readonly port: number;
  readonly atPs: number;
  readonly priority?: number;
}

/** One sentence for people: what was judged, and what was not and why. */
export function deepSentence({ judged, notJudged }: DeepSummary): string {
  const declined = notJudged.map(({ rule, why }) => `${rule} (${why.join('; ')})`);
  const count = `judged ${judged.length} of ${Object.keys(RULES).length} rules`;
  const named = judged.length === 0 ? '' : `: ${judged.join(', ')}`;
  const rest = declined.length === 0 ? '' : `; not or not everywhere: ${declined.join(', ')}`;
  return `deep check: ${count}${named}${rest}`;
}

export class Verdict {
  breach: DeepBreach | null = null;
  private readonly judged = new Map<RuleName, number>();
  private readonly declined = new Map<RuleName, Map<string, number>>();

  /** Expected against actual, at a place. Only the first counts: later ones may follow from it. */
  broken(rule: RuleName, { atPs: timePs, device, port, priority }: Place, what: string): void {
    const reason = `deep check, ${rule}: ${what}`;
    this.breach ??= { reason, timePs, device, port, priority: priority ?? null };
  }

  /** Something was compared, and is as the rule says unless `broken` was called. */
  judge(rule: RuleName): void {
    this.judged.set(rule, (this.judged.get(rule) ?? 0) + 1);
  }

  /** Whether a rule has an opinion at a place: unless something keeps it from one. */
  knows(rule: RuleName, why: string | null): boolean {
    if (why !== null) this.decline(rule, why);
    return why === null;
  }

  /** A place where a rule has no opinion, and why. */
  decline(rule: RuleName, why: string): void {
    const reasons = this.declined.get(rule) ?? new Map<string, number>();
    this.declined.set(rule, reasons.set(why, (reasons.get(why) ?? 0) + 1));
  }

  blind(why: string): void {
    for (const rule of Object.keys(RULES) as RuleName[]) this.decline(rule, why);
  }

  count(rule: RuleName): number {
    return this.judged.get(rule) ?? 0;
  }

  summary(): DeepSummary {
    const names = Object.keys(RULES) as RuleName[];
    return {
      judged: names.filter((rule) => this.count(rule) > 0),
      notJudged: names.flatMap((rule) => {
        const why = [...(this.declined.get(rule)?.keys() ?? [])];
        return why.length > 0 ? [{ rule, why }] : [];
      }),
    };
  }
}
