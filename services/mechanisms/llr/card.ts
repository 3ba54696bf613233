import type { Card, CardFormat } from '../mechanism-slice.js';
import type { LlrResults } from './results.js';

/** Ports that sent frames again, or gave some up. */
export function llrCards({ llr }: LlrResults, { count }: CardFormat): Card[] {
  const busy = llr.filter(
    ({ counters: c }) => c.LLR_TX_REPLAY + c.LLR_RX_BAD + c.LLR_TX_DISCARD > 0,
  );
  const lost = busy.reduce((sum, { counters }) => sum + counters.LLR_TX_DISCARD, 0);
  const gaveUp = `Link-level retry gave up ${count(lost)} frames: it flushed, or did not run.`;
  const head = ['port', 'frames sent', 'replays', 'bad received', 'discarded'];
  return [
    {
      title: 'Link-level retry',
      head: [...head, 'buffer used (bytes)'],
      rows: busy.map(({ port, peakBytes, counters: c }) => [
        port,
        count(c.LLR_TX_OK),
        count(c.LLR_TX_REPLAY),
        count(c.LLR_RX_BAD),
        count(c.LLR_TX_DISCARD),
        count(peakBytes),
      ]),
      lines: lost === 0 ? [] : [gaveUp],
    },
  ];
}
