import { InputError } from './exit.js';

/** Options of `selvage run` about captures. */
export interface CaptureOptions {
  readonly capture?: readonly string[];
  readonly captureFilter?: readonly string[];
}

const KEYS = ['priority', 'type', 'flow'];

/** The same as settings of the scenario, so that all readers of it see them. */
export function captureSettings({ capture, captureFilter }: CaptureOptions): string[] {
  const settings: string[] = [];
  if (capture !== undefined && capture.length > 0) {
    settings.push(`observe.captures.ports=${JSON.stringify(capture)}`);
  }
  if (captureFilter !== undefined && captureFilter.length > 0) {
    const filters = captureFilter.map(filterOf);
    settings.push(`observe.captures.filters=${JSON.stringify(filters)}`);
  }
  return settings;
}

/** `priority=3,type=data,flow=17`: a frame must match all of it. */
function filterOf(text: string): Record<string, string | number> {
  const pairs = text.split(',').map((pair): [string, string | number] => {
    const at = pair.indexOf('=');
    const [key, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (at < 0 || !KEYS.includes(key) || value === '') {
      throw new InputError(
        `--capture-filter ${text}: not a filter; write some of priority=3,type=pfc,flow=17`,
      );
    }
    return [key, /^\d{1,15}$/.test(value) ? Number(value) : value];
  });
  return Object.fromEntries(pairs);
}
