import { isLongMac, LONG_MAC_OCTETS, longMac } from '../keys/mac.js';
import type { CheckpointStorage } from './store.js';

const TAG_DIGITS = 16;

/**
 * Storage that others may write to: objects carry a MAC (HMAC-SHA256) over name and octets, and a
 * claimed name carries one of its own. Objects without it are treated as absent.
 */
export class SignedStorage implements CheckpointStorage {
  constructor(
    private readonly storage: CheckpointStorage,
    private readonly key: Uint8Array,
    /** Called with the name of what is damaged, or not signed with this key. */
    private readonly refused: (name: string) => void,
  ) {}

  async put(name: string, octets: Uint8Array): Promise<void> {
    await this.storage.put(name, Buffer.concat([this.macOf(name, octets), octets]));
  }

  async get(name: string): Promise<Uint8Array | null> {
    const kept = await this.storage.get(name);
    if (kept === null) return null;
    const octets = kept.subarray(Math.min(LONG_MAC_OCTETS, kept.length));
    const mac = kept.subarray(0, kept.length - octets.length);
    if (isLongMac(mac, this.macOf(name, octets))) return octets;
    this.refused(name);
    return null;
  }

  names(): Promise<string[]> {
    return this.storage.names();
  }

  claim(name: string, owner: string): Promise<boolean> {
    return this.storage.claim(`${name}.${this.tagOf(name)}`, owner);
  }

  async claims(): Promise<string[]> {
    const claims = await this.storage.claims();
    return claims.flatMap((claim) => {
      const [name = '', tag] = claim.split('.');
      return tag === this.tagOf(name) ? name : [];
    });
  }

  async remove(name: string): Promise<void> {
    await this.storage.remove(name);
  }

  async clear(): Promise<void> {
    await this.storage.clear();
  }

  async expire(afterMs: number): Promise<void> {
    await this.storage.expire?.(afterMs);
  }

  private macOf(name: string, octets: Uint8Array): Buffer {
    return longMac(this.key, `${name}\0`, octets);
  }

  private tagOf(name: string): string {
    return longMac(this.key, name).toString('hex').slice(0, TAG_DIGITS);
  }
}
