import type { Card, CardFormat } from '../mechanism-slice.js';
import type { SfcReaction } from './plan.js';
import type { SfcPathResult, SfcResult, SfcResults } from './result-rows.js';

/** Devices that paused sources, or were paused, and the flows whose sources can be. */
export function sfcCards({ sfc, sfcPaths }: SfcResults, format: CardFormat): Card[] {
  const { count, time } = format;
  const busiest = [...sfc].sort((a, b) => b.pausedPs - a.pausedPs || sent(b) - sent(a));
  const head = ['device', 'role', 'SFCMs sent', 'received', 'by PFC', 'pauses', 'paused'];
  return [
    {
      title: 'Source flow control',
      head: [...head, 'react', 'worst'],
      rows: busiest.map((s) => [
        s.device,
        s.role,
        count(sent(s)),
        count(s.counters['sfcSfcmsReceived']),
        count(s.counters['sfcPfcInvoked']),
        count(s.pauses),
        time(s.pausedPs),
        time(s.reactionMeanPs),
        time(s.reactionMaxPs),
      ]),
      lines: sfcPaths.length === 0 ? [] : [coverageOf(sfcPaths, format)],
    },
  ];
}

const sent = ({ counters }: SfcResult): number => counters['sfcSfcmsTransmitted'];

/** Which flows' sources can be reached, from all queues on their paths. */
function coverageOf(paths: readonly SfcPathResult[], { count }: CardFormat): string {
  const having = (reaction: SfcReaction): string =>
    count(paths.filter((path) => path.reaction === reaction).length);
  const partly = paths.filter(({ reaction, silent }) => reaction !== 'none' && silent[0]);
  const open = paths.find(({ reaction }) => reaction === 'none');
  return [
    `of ${count(paths.length)} flows ${having('station')} are paused by their host,`,
    `${having('proxy')} by a proxy, ${having('none')} by`,
    `none${open === undefined ? '' : ` (${open.flow})`}; ${count(partly.length)} pass`,
    'switches that send no SFCMs',
  ].join(' ');
}
