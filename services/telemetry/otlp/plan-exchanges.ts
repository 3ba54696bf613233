import type { PlannedSpan } from './planned-span.js';
import { spanIdOf, traceIdOf } from './planned-span.js';
import { GRANTS, type GrantExchange } from '../../mechanisms/registry.js';

/** Steps whose spans belong to the device that has the buffer. */
const AT_RECEIVER: ReadonlySet<string> = new Set(['granted', 'received']);

/**
 * One trace per account and direction: the exchange as a whole, and below it a span for each step,
 * up to the step that answers it.
 */
export function planExchanges(
  digest: string,
  exchanges: readonly GrantExchange[],
  nowPs: number,
): PlannedSpan[] {
  return exchanges.flatMap((exchange) => {
    const { sender, receiver, sendingDevice, receivingDevice, priority, channel } = exchange;
    const name = `${sender} ${receiver} priority ${priority} channel ${channel} exchange`;
    const trace = traceIdOf(digest, name);
    const id = spanIdOf(digest, name);
    const account = {
      'selvage.sender': sender,
      'selvage.receiver': receiver,
      'selvage.priority': priority,
      'selvage.channel': channel,
    };
    const whole: PlannedSpan = {
      ...{ trace, id, parent: null, device: sendingDevice, name: `${GRANTS.name} exchange` },
      ...{ role: 'internal', error: null, links: [] },
      startPs: exchange.steps[0]?.timePs ?? 0,
      endPs: nowPs,
      attributes: { ...account, 'network.interface.name': sender },
    };
    const steps = GRANTS.stepSpans(exchange).map(
      ({ step, fromPs, untilPs, units }, i): PlannedSpan => {
        const isAtReceiver = AT_RECEIVER.has(step);
        return {
          ...{ trace, id: spanIdOf(digest, `${name} ${i} ${step}`), parent: id },
          device: isAtReceiver ? receivingDevice : sendingDevice,
          name: step,
          ...{ role: 'internal', error: null, links: [] },
          startPs: fromPs,
          endPs: untilPs ?? nowPs,
          attributes: {
            ...account,
            'network.interface.name': isAtReceiver ? receiver : sender,
            'selvage.units': units,
            'selvage.start_ps': fromPs,
            'selvage.answered_ps': untilPs ?? -1,
          },
        };
      },
    );
    return [whole, ...steps];
  });
}
