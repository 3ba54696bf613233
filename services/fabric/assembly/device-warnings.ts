import type { Path } from '../topology/cabling.js';
import type { Warning } from './warnings.js';

/** Warns that a device cannot do what it is configured for, at the location of the cause. */
export type Warn = (path: Path, device: string, message: string) => void;

/** Devices that one warning names before it counts the rest. */
const NAMED = 2;

/** Warnings about devices; a warning that many of them have in common is given once. */
export class DeviceWarnings {
  private readonly found = new Map<string, { path: Path; message: string; devices: string[] }>();

  readonly warn: Warn = (path, device, message) => {
    const key = JSON.stringify([path, message]);
    const known = this.found.get(key) ?? { path, message, devices: [] };
    known.devices.push(device);
    this.found.set(key, known);
  };

  all(): Warning[] {
    return [...this.found.values()].map(({ path, message, devices }) => {
      const more = devices.length - NAMED;
      const named = devices.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
      return { path, message: `${named}: ${message}`, load: null, isRefused: false };
    });
  }
}
