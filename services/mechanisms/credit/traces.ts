import { EXCHANGE } from '../fabric-context.js';
import type { EventSpan, EventTrace, RecordedEvent } from '../mechanism-slice.js';
import { type Exchange, exchangesOf, stepSpans } from './exchanges.js';

/** Steps whose spans belong to the device that has the buffer. */
const AT_RECEIVER: ReadonlySet<string> = new Set(['granted', 'received', 'recovered']);

/**
 * One trace per account and direction: the exchange as a whole, and a span for each step, up to the
 * step that answers it.
 */
export function exchangeTraces(events: readonly RecordedEvent[]): EventTrace[] {
  return exchangesOf(events).map(traceOf);
}

function traceOf(exchange: Exchange): EventTrace {
  const { sender, receiver, sendingDevice, receivingDevice, priority, channel } = exchange;
  const account = {
    'selvage.sender': sender,
    'selvage.receiver': receiver,
    'selvage.priority': priority,
    'selvage.channel': channel,
  };
  const steps = stepSpans(exchange).map(({ step, fromPs, untilPs, units }): EventSpan => {
    const isAtReceiver = AT_RECEIVER.has(step);
    return {
      name: step,
      device: isAtReceiver ? receivingDevice : sendingDevice,
      fromPs,
      untilPs,
      attributes: {
        ...account,
        'network.interface.name': isAtReceiver ? receiver : sender,
        'selvage.units': units,
        'selvage.start_ps': fromPs,
        'selvage.answered_ps': untilPs ?? -1,
      },
    };
  });
  return {
    key: `${sender} ${receiver} priority ${priority} channel ${channel} exchange`,
    name: `${EXCHANGE} exchange`,
    device: sendingDevice,
    fromPs: exchange.steps[0]?.timePs ?? 0,
    untilPs: null,
    attributes: { ...account, 'network.interface.name': sender },
    steps,
  };
}
