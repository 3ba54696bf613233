import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { headroomTerms } from '../../engine/analysis/headroom/headroom.js';
import { KB } from '../../engine/arbiter/credits.js';
import type { BufferSpec } from '../../engine/contract/memory.js';
import type { Nic82599Section, WatermarkSection } from './section.js';
import type { NicHost, NicLink, NicTraffic, Warn } from '../nic-context.js';
import { isPausable, EXCHANGE } from '../fabric-context.js';

/** Of a receive buffer that cannot store all that is granted; null if there is none. */
export function overGranted(
  { receive, hasPause }: NicHost,
  { accounts }: BufferSpec,
  { methods, grantedOctets }: NicTraffic,
  dcb: boolean,
): string | null {
  const bufferOf = (up: number): number => (dcb && !hasPause ? receive[up] : 0);
  for (const [tc, { reservedOctets, headroomOctets }] of accounts[0].entries()) {
    const granting = [0, 1, 2, 3, 4, 5, 6, 7].filter(
      (up) => bufferOf(up) === tc && methods[up] === EXCHANGE,
    );
    const granted = granting.reduce((sum, up) => sum + grantedOctets[up], 0);
    const size = reservedOctets + headroomOctets;
    if (granted <= size) continue;
    return (
      `receive buffer ${tc} has ${size} bytes, and ${EXCHANGE} of priority ` +
      `${granting.join(', ')} is granted for ${granted}; set ${EXCHANGE}.buffer to ` +
      `${Math.floor(size / granting.length)}B or less, or give the buffer more (receive)`
    );
  }
  return null;
}

/** Octets that a receive buffer stores after it paused the link partner; 0 where it never does. */
export function octetsAfterXoff(
  tc: number,
  { receive, hasPause }: NicHost,
  end: NicLink,
  { methods, longestFrameOctets, responseDelayPs }: NicTraffic,
): number {
  const paused = hasPause
    ? PRIORITY_NUMBERS.filter(() => tc === 0)
    : PRIORITY_NUMBERS.filter((up) => receive[up] === tc && isPausable(methods[up]));
  if (paused.length === 0) return 0;
  const { link, octetPs } = end;
  const longest = Math.max(...paused.map((up) => longestFrameOctets[up]));
  return headroomTerms({
    octetPs,
    propagationPs: link.propagationPs,
    interfaceDelayPs: link.interfaceDelayPs,
    pipelinePs: 0,
    responseDelayPs: Math.max(...paused.map((up) => responseDelayPs[up])),
    longestSentOctets: Math.max(...longestFrameOctets),
    longestPausedOctets: longest,
    fullPoolOctets: longest,
    cellOctets: 1,
  }).totalOctets;
}

/**
 * Watermarks of a buffer from its link: above the high one there is room for what may still arrive;
 * at the low one the link partner resumes, so that as much is stored as the host may read until
 * frames arrive. Null where the buffer is too small for that.
 */
export function watermarksOfLink(
  sizeKb: number,
  afterXoffOctets: number,
  longestFrameOctets: number,
): WatermarkSection | null {
  const highKb = Math.floor((sizeKb * KB - afterXoffOctets) / KB);
  if (highKb <= 0) return null;
  const frameKb = Math.ceil(longestFrameOctets / KB);
  const lowKb = Math.min(Math.ceil(afterXoffOctets / KB), highKb - frameKb);
  return { highKb, lowKb: Math.max(0, lowKb) };
}

interface LinkedNic {
  readonly section: Nic82599Section;
  readonly host: NicHost;
  readonly link: NicLink;
  readonly traffic: NicTraffic;
}

/** Buffers that cannot store all that arrives after they have paused the link partner. */
export function warnOfHeadroom(
  { section, host, link, traffic }: LinkedNic,
  { accounts }: BufferSpec,
  warn: Warn,
): void {
  accounts[0].forEach(({ xoffOctets, headroomOctets }, tc) => {
    const needed = octetsAfterXoff(tc, host, link, traffic);
    if (headroomOctets >= needed) return;
    const size = xoffOctets + headroomOctets;
    const high = Math.floor((size - needed) / KB);
    const remedy =
      high > 0
        ? `set watermarks.${tc}.high to ${high} KB or less, or watermarks: auto`
        : `its ${size / KB} KB are too small for this link: change receive, or shorten the link`;
    const written = (section.watermarks[tc] ?? null) !== null;
    const path = [...section.path, ...(written ? ['watermarks', `${tc}`, 'high'] : [])];
    const mark = `${written ? 'the' : "the driver's"} high watermark of ${xoffOctets / KB} KB`;
    warn(
      path,
      host.name,
      `receive buffer ${tc} cannot be lossless: above ${mark} it has ${headroomOctets} bytes, ` +
        `and ${needed} may arrive after it has paused its link partner; ${remedy}`,
    );
  });
}
