import type { NatsConnection } from '@nats-io/transport-node';
import { BrokerError } from './broker.js';

/**
 * Requests to a broker whose answers are lost with the connection: they fail when it is back, so
 * that they can be repeated at once. The client of NATS waits until each has timed out.
 */
export class Reconnects {
  private readonly waiting = new Set<(error: Error) => void>();

  constructor(broker: NatsConnection) {
    const watch = async (): Promise<void> => {
      for await (const { type } of broker.status()) if (type === 'reconnect') this.interruptAll();
    };
    watch().catch(() => undefined);
  }

  /** Settles as the request does, or rejects when the connection was lost and is back. */
  interrupt<T>(request: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      const settled = (): void => {
        this.waiting.delete(reject);
      };
      request.then(resolve, reject).then(settled, settled);
    });
  }

  private interruptAll(): void {
    for (const reject of this.waiting) {
      reject(new BrokerError('the connection to the broker was lost', false));
    }
  }
}
