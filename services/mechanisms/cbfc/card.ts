import type { Card, CardFormat } from '../mechanism-slice.js';
import type { CbfcResults, ChannelResult } from './results.js';

/** Virtual channels, by the share of their credits that was in use. */
export function cbfcCards({ channels }: CbfcResults, { count }: CardFormat): Card[] {
  const fullest = [...channels].sort((a, b) => shareOf(b) - shareOf(a));
  const head = ['port', 'channel', 'credits', 'bytes each', 'most in use'];
  return [
    {
      title: 'Credits (CBFC)',
      head: [...head, 'CF_Update in', 'CC_Update out', 'leaked in', 'implausible in'],
      rows: fullest.map((row) => [
        ...[row.port, count(row.channel), count(row.limit), count(row.creditBytes)],
        `${Math.round(100 * shareOf(row))} %`,
        count(row.ofPort['CBFC_NUM_CF_UPDATE_MESSAGES_RX']),
        count(row.ofPort['CBFC_NUM_CC_UPDATE_MESSAGES_TX']),
        count(row.ofPort['cbfcCreditsLeaked']),
        count(row.ofPort['cbfcImplausibleCounts']),
      ]),
    },
  ];
}

function shareOf({ statistics, limit }: ChannelResult): number {
  return statistics['SENDER_CREDITS_USED_WATERMARK'] / limit;
}
