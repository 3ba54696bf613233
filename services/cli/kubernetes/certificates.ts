import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

// Certificates of a run (X.509, RFC 5280; in DER, X.690): an authority that signs one certificate
// and is forgotten. Node reads certificates and cannot write them.

/** In PEM. */
export interface Credentials {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
/** Context-specific, constructed. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
/** keyIdentifier of AuthorityKeyIdentifier. */
const KEY_ID = 0x80;
/** Choices of GeneralName. */
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

const VERSION_3 = 2;
const SERIAL_OCTETS = 16;
const KEY_ID_OCTETS = 20;
const LONG_LENGTH = 0x80;
const TRUE = 0xff;

/** ecdsa-with-SHA256, RFC 5758 3.2. */
const SIGNATURE = seq(octets(OID, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const COMMON_NAME = octets(OID, 0x55, 0x04, 0x03);
const BASIC_CONSTRAINTS = octets(OID, 0x55, 0x1d, 0x13);
const KEY_USAGE = octets(OID, 0x55, 0x1d, 0x0f);
const ALTERNATIVE_NAME = octets(OID, 0x55, 0x1d, 0x11);
const SUBJECT_KEY_ID = octets(OID, 0x55, 0x1d, 0x0e);
const AUTHORITY_KEY_ID = octets(OID, 0x55, 0x1d, 0x23);
/** keyCertSign alone; digitalSignature alone: the unused bits, then the bits. */
const SIGNS = octets(BIT_STRING, 2, 0x04);
const AUTHENTICATES = octets(BIT_STRING, 7, 0x80);

/** Clocks of nodes may be behind that of this machine. */
const BEFORE_MS = 3_600_000;
const VALID_MS = 365 * 24 * BEFORE_MS;

/** A certificate for names and addresses, of an authority whose key is not kept. */
export function issueCredentials(run: string, names: readonly string[]): Credentials {
  const [authority, subject] = [keyPair(), keyPair()];
  const issuer = nameOf(`selvage ${run} authority`);
  const alternatives = names.map((name) =>
    isIP(name) === 4
      ? octets(IP_ADDRESS, ...name.split('.').map(Number))
      : der(DNS_NAME, Buffer.from(name)),
  );
  const signed = (name: Buffer, publicKey: KeyObject, extensions: Buffer[]): string =>
    certificate({ issuer, name, publicKey, extensions }, authority.privateKey);
  const id = identifierOf(authority.publicKey);
  return {
    authority: signed(issuer, authority.publicKey, [
      critical(BASIC_CONSTRAINTS, seq(octets(BOOLEAN, TRUE))),
      critical(KEY_USAGE, SIGNS),
      extension(SUBJECT_KEY_ID, der(OCTET_STRING, id)),
    ]),
    certificate: signed(nameOf(`selvage ${run}`), subject.publicKey, [
      critical(BASIC_CONSTRAINTS, seq()),
      critical(KEY_USAGE, AUTHENTICATES),
      extension(AUTHORITY_KEY_ID, seq(der(KEY_ID, id))),
      extension(ALTERNATIVE_NAME, seq(...alternatives)),
    ]),
    key: subject.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

interface Subject {
  readonly issuer: Buffer;
  readonly name: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function certificate({ issuer, name, publicKey, extensions }: Subject, key: KeyObject): string {
  const serial = randomBytes(SERIAL_OCTETS);
  // Positive, and of full length.
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const now = Date.now();
  const body = seq(
    der(VERSION, octets(INTEGER, VERSION_3)),
    der(INTEGER, serial),
    SIGNATURE,
    issuer,
    seq(timeOf(now - BEFORE_MS), timeOf(now + VALID_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, seq(...extensions)),
  );
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', body, key));
  const text = seq(body, SIGNATURE, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${text.trimEnd()}\n-----END CERTIFICATE-----\n`;
}

function keyPair(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function nameOf(text: string): Buffer {
  return seq(der(SET, seq(COMMON_NAME, der(UTF8_STRING, Buffer.from(text)))));
}

function extension(id: Buffer, value: Buffer): Buffer {
  return seq(id, der(OCTET_STRING, value));
}

/** A reader that does not know it refuses the certificate. */
function critical(id: Buffer, value: Buffer): Buffer {
  return seq(id, octets(BOOLEAN, TRUE), der(OCTET_STRING, value));
}

/** Any value that differs for other keys (RFC 5280 4.2.1.2). */
function identifierOf(key: KeyObject): Buffer {
  const encoded = key.export({ type: 'spki', format: 'der' });
  return hash('sha256', encoded, 'buffer').subarray(0, KEY_ID_OCTETS);
}

/** YYMMDDhhmmssZ. */
function timeOf(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${digits}Z`));
}

function seq(...parts: readonly Buffer[]): Buffer {
  return der(SEQUENCE, ...parts);
}

function octets(tag: number, ...values: readonly number[]): Buffer {
  return der(tag, Buffer.from(values));
}

/** Tag, length, value. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  if (length < LONG_LENGTH) return Buffer.concat([Buffer.from([tag, length]), value]);
  const hex = length.toString(16);
  const size = Buffer.from(hex.padStart(hex.length + (hex.length & 1), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, LONG_LENGTH | size.length]), size, value]);
}
