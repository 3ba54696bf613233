import type { NatsConnection } from '@nats-io/transport-node';
import { BrokerError } from '../links/broker.js';

/** Waits for a broker that went away, for a while, and says when it is back. */
export function watchBroker(
  broker: NatsConnection,
  patienceMs: number,
  fail: (error: Error) => void,
  back: () => void,
): void {
  let deadline: NodeJS.Timeout | undefined;
  const giveUp = (): void => {
    fail(new BrokerError(`the broker has been away for ${patienceMs / 1000} s`));
  };
  const listen = async (): Promise<void> => {
    for await (const { type } of broker.status()) {
      if (type === 'disconnect') deadline ??= setTimeout(giveUp, patienceMs);
      if (type === 'reconnect') {
        clearTimeout(deadline);
        deadline = undefined;
      }
      // A slow consumer was cut off by the server: what was on its way is gone, too.
      if (type === 'reconnect' || type === 'slowConsumer') back();
    }
  };
  listen().catch(fail);
}
