import { hkdfSync, randomBytes } from 'node:crypto';
import { MacKey } from './mac.js';

const KEY_OCTETS = 32;
const SALT_OCTETS = 16;
const NO_SALT = new Uint8Array(0);

/**
 * Keys that are derived from a run's secret (HKDF-SHA256, RFC 5869): one for each purpose. The
 * secret itself is never sent, and no key reveals another.
 */
export class RunKeys {
  /** Opens the control plane, in hexadecimal. */
  readonly token: string;
  /** Authenticates what is stored in the checkpoint store. */
  readonly store: Uint8Array;

  constructor(
    private readonly run: string,
    private readonly secret: string,
  ) {
    this.token = Buffer.from(this.derive('control', NO_SALT)).toString('hex');
    this.store = this.derive('store', NO_SALT);
  }

  /** Of the messages of one epoch, by their sender and receiver. */
  channels(epoch: number, salt: Uint8Array): ChannelKeys {
    return (from, to) => new MacKey(this.derive(`messages ${epoch} ${from} ${to}`, salt));
  }

  private derive(purpose: string, salt: Uint8Array): Uint8Array {
    const info = `selvage ${this.run} ${purpose}`;
    return new Uint8Array(hkdfSync('sha256', this.secret, salt, info, KEY_OCTETS));
  }
}

/** The key of the messages from one service to another. */
export type ChannelKeys = (from: number, to: number) => MacKey;

/** Of an epoch: messages of an earlier run with the same name and secret are void, too. */
export function drawSalt(): Uint8Array {
  return randomBytes(SALT_OCTETS);
}
