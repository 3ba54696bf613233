import type { NatsConnection } from '@nats-io/transport-node';
import { BrokerError } from '../links/broker.js';

/** Waits for a lost broker, for a while, and reports its return. */
export function watchBroker(
  broker: NatsConnection,
  patienceMs: number,
  fail: (error: Error) => void,
  on: { lost(): void; back(): void },
): void {
  let deadline: NodeJS.Timeout | undefined;
  const giveUp = (): void => {
    fail(new BrokerError(`the broker has been away for ${patienceMs / 1000} s`));
  };
  const listen = async (): Promise<void> => {
    for await (const { type } of broker.status()) {
      if (type === 'disconnect') {
        if (deadline === undefined) on.lost();
        deadline ??= setTimeout(giveUp, patienceMs);
      }
      if (type === 'reconnect') {
        clearTimeout(deadline);
        deadline = undefined;
      }
      // A slow consumer was disconnected by the server: messages to it are lost, too.
      if (type === 'reconnect' || type === 'slowConsumer') on.back();
    }
  };
  listen().catch(fail);
}
