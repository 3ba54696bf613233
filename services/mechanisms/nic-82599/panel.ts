import type { CardFormat, Panel } from '../mechanism-slice.js';
import type { Nic82599Result } from './results.js';

/** LEDs, and the transmit classes with their longest latency from tail to wire. */
export function nicPanel(nic: Nic82599Result, { count, time, octets, rate }: CardFormat): Panel {
  const limited = nic.rates
    .filter(({ enabled }) => enabled)
    .map(({ queue, rateBps }) => `queue ${queue} ${rate(rateBps)}`);
  const received = nic.buffers.filter(({ direction }) => direction === 'receive');
  const fullest = Math.max(0, ...received.map(({ peakOctets }) => peakOctets));
  const rates = limited.length === 0 ? 'no queue is rate controlled' : limited.join(', ');
  return {
    title: nic.device,
    note: '82599, at the end',
    lamps: nic.leds.map(({ source, lit, changes }, led) => {
      return { name: source, lit, tip: `LED${led}, changed ${count(changes)} times` };
    }),
    head: ['class', 'group', 'strict', 'refill', 'credits', 'frames', 'tail to wire'],
    rows: nic.T2.packet.map(({ tc, group, strict, refill, credit }) => {
      const latency = nic.latencies.find((row) => row.direction === 'transmit' && row.tc === tc);
      return [
        ...[tc, group].map(String),
        strict,
        ...[refill, credit].map(String),
        count(latency?.frames ?? 0),
        time(latency?.mostPs ?? null),
      ];
    }),
    lines: [`fullest receive buffer ${octets(fullest)}; ${rates}`],
  };
}
