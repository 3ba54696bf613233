import type { NatsConnection } from '@nats-io/transport-node';
import { connect } from '@nats-io/transport-node';
import { RandomStream } from '../../services/engine/kernel/random.js';

const FLOOD_EVERY_MS = 5;
const FLOOD_MESSAGES = 100;

/** A client of the broker that holds no key: it records what it receives, and sends it again. */
export class Stranger {
  readonly overheard: Uint8Array[] = [];
  /** First words of subjects. */
  readonly subjects = new Set<string>();
  private readonly random = new RandomStream(4, 'flood');

  private constructor(private readonly client: NatsConnection) {}

  /** Replays all messages: at once, damaged, and some of the past. */
  static async at(servers: string[]): Promise<Stranger> {
    const stranger = new Stranger(await connect({ servers, noEcho: true }));
    const { client, overheard, subjects, random } = stranger;
    client.subscribe('>', {
      callback: (_, { subject, data }) => {
        overheard.push(data);
        subjects.add(subject.split('.')[0]!);
        client.publish(subject, data);
        client.publish(subject, damaged(data, random));
        client.publish(subject, overheard[random.below(overheard.length)]);
      },
    });
    return stranger;
  }

  /** Sends noise to the services of a run until it leaves. */
  flood(run: string, services: number): void {
    const { client, random } = this;
    const flood = setInterval(() => {
      for (let i = 0; i < FLOOD_MESSAGES && !client.isClosed(); i++) {
        client.publish(`selvage.${run}.${i % services}`, noise(random));
      }
    }, FLOOD_EVERY_MS);
    void client.closed().then(() => {
      clearInterval(flood);
    });
  }

  leave(): Promise<void> {
    return this.client.close();
  }
}

/** With another octet in a place. */
export function damaged(octets: Uint8Array, random: RandomStream): Uint8Array {
  const changed = Uint8Array.from(octets);
  if (changed.length === 0) return changed;
  const at = random.below(changed.length);
  changed[at] = changed[at]! ^ (1 + random.below(255));
  return changed;
}

export function noise(random: RandomStream): Uint8Array {
  return Uint8Array.from({ length: random.below(300) }, () => random.below(256));
}
