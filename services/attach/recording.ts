import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordedInput, recordingHeader } from '../fabric/live/recorded-inputs.js';

/** So much is kept before it is written. */
const PIECE_OCTETS = 1 << 18;

/** What comes in during a run, in a file of its own until the run is over. */
export class Recording {
  readonly file: string;
  private readonly folder: string;
  private readonly descriptor: number;
  private pieces: Uint8Array[] = [];
  private octets = 0;

  /** Names of the hosts, in the order of their numbers. */
  constructor(hosts: readonly string[]) {
    this.folder = mkdtempSync(join(tmpdir(), 'selvage-live-'));
    this.file = join(this.folder, 'inputs.pcapng');
    this.descriptor = openSync(this.file, 'w');
    this.keep(recordingHeader(hosts));
  }

  add(host: number, atPs: number, frame: Uint8Array): void {
    this.keep(recordedInput(host, atPs, frame));
    if (this.octets >= PIECE_OCTETS) this.flush();
  }

  /** The file is whole. */
  end(): void {
    this.flush();
    closeSync(this.descriptor);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private keep(octets: Uint8Array): void {
    this.pieces.push(octets);
    this.octets += octets.length;
  }

  private flush(): void {
    writeSync(this.descriptor, Buffer.concat(this.pieces));
    this.pieces = [];
    this.octets = 0;
  }
}
