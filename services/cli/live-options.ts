import { isLoopback } from '../live/auth-guard.js';
import type { LiveAddress } from '../live/live-server.js';
import { isPageBuilt } from '../report/page/page-file.js';
import { InputError } from './exit.js';

export interface LiveOptions {
  /** True: on any port that is free. */
  readonly ui?: string | true;
  readonly uiHost?: string;
}

const TOKEN_LENGTH_MIN = 12;

/** Where to serve the page of a run; null: nowhere. The token comes from the environment. */
export function liveAddress({ ui, uiHost }: LiveOptions): LiveAddress | null {
  if (ui === undefined) {
    if (uiHost !== undefined) throw new InputError('--ui-host goes with --ui');
    return null;
  }
  if (!isPageBuilt()) throw new InputError('the page has not been built: npm run build makes it');
  const port = ui === true ? 0 : portFrom(ui);
  const host = uiHost ?? '127.0.0.1';
  const { SELVAGE_UI_TOKEN: token = '' } = process.env;
  if (token === '' && !isLoopback(host)) {
    throw new InputError(
      `--ui-host ${host}: others could steer the run; put a token into SELVAGE_UI_TOKEN`,
    );
  }
  if (token !== '' && token.length < TOKEN_LENGTH_MIN) {
    throw new InputError(`SELVAGE_UI_TOKEN has fewer than ${TOKEN_LENGTH_MIN} characters`);
  }
  return { host, port, token: token === '' ? null : token };
}

function portFrom(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InputError(`--ui ${text}: not a port from 0 to 65535`);
}
