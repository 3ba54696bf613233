/** Settings of PFC and PAUSE against the rates of links. */

import { QUANTUM_OCTETS, wireOctets } from '../../engine/units/ethernet.js';
import { rateOfBps, OCTET_BITS_PS } from '../../engine/units/rates.js';
import { showRate } from '../../settings/quantities.js';
import type { Path } from '../../settings/source-tree.js';
import type { RatedLink, RatedPort } from '../mechanism-slice.js';
import type { PausingSettings } from '../pausing-settings.js';
import { QUANTA_MOST } from '../pausing-settings.js';

/** Latest stop of a priority after a PFC indication, the same at every rate (802.1Q 36.1.3.3). */
export const PFC_RESPONSE_MOST_PS = 614_400;

export function checkPfc(settings: PausingSettings, view: RatedPort): void {
  checkResponse(settings, PFC_RESPONSE_MOST_PS, '802.1Q 36.1.3.3', view);
  checkPausing(settings, view);
}

export function checkPause(settings: PausingSettings, view: RatedPort): void {
  const { name, pauseResponseLimitPs } = rateOfBps(view.link.rateBps)!;
  checkResponse(settings, pauseResponseLimitPs, `802.3 31B.3.7 at ${name}`, view);
  checkPausing(settings, view);
}

function checkResponse(
  { responseDelay }: PausingSettings,
  mostPs: number,
  clause: string,
  view: RatedPort,
): void {
  if (responseDelay <= mostPs) return;
  throw view.errorAt(
    mostExact(view, ['responseDelay']),
    `responseDelay too long: ${responseDelay / 1000}ns; at most ${mostPs / 1000}ns (${clause})`,
  );
}

function checkPausing(settings: PausingSettings, view: RatedPort): void {
  const { xoff, xonGap } = settings;
  if (xoff !== 'dynamic' && xonGap > xoff) {
    throw view.errorAt(
      mostExact(view, ['xonGap', 'xoff']),
      `xonGap ${xonGap} is more than xoff ${xoff}: XON would never come`,
    );
  }
  checkRefresh(settings, view);
}

/**
 * The refresh must have its effect before the pause that it renews expires. Both take the same link
 * and have the same response time, so only the wait of the refresh for the link counts, however
 * long the link is.
 */
function checkRefresh({ quanta, refresh }: PausingSettings, view: RatedPort): void {
  // Beyond the pause itself it is meant to expire.
  if (refresh > 1) return;
  const { link } = view;
  const pausePs = quanta * quantumPs(link);
  const waitPs = (wireOctets(view.longestFrameOctets) * OCTET_BITS_PS) / link.rateBps;
  if (refresh * pausePs + waitPs < pausePs) return;
  const leastPs = waitPs / (1 - refresh);
  const least = Math.floor(leastPs / quantumPs(link)) + 1;
  const allowed = least <= QUANTA_MOST ? `; at least ${least} quanta with this refresh` : '';
  throw view.errorAt(
    mostExact(view, ['quanta', 'refresh']),
    `a pause of ${quanta} quanta ends before its refresh arrives: ${link.name} at ` +
      `${showRate(link.rateBps)} has ${pausePs / 1000}ns${allowed}`,
  );
}

function quantumPs({ rateBps }: RatedLink): number {
  return (QUANTUM_OCTETS * OCTET_BITS_PS) / rateBps;
}

function mostExact(view: RatedPort, keys: readonly string[]): Path {
  return keys.map((key) => [...view.path, key]).find((at) => view.has(at)) ?? view.path;
}
