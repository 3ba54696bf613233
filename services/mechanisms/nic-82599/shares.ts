import type { WspClass } from '../../engine/arbiter/wsp-arbiter.js';
import { linkPercents, REFILL_MOST } from '../../engine/nic-82599/refill-rule.js';
import type { NicFlow, Warn } from '../nic-context.js';
import type { Nic82599Section } from './section.js';
import type { Path } from '../../settings/source-tree.js';
import type { NicSurroundings } from './registers.js';
import { classRows } from './registers.js';

/** Difference of two shares, in percent of the link, from which on there is a warning. */
const WORTH_A_WORD = 1;

/** Warns of shares that refills, which are truncated and at most 511, cannot express. */
export function warnOfBentShares(
  section: Nic82599Section,
  around: NicSurroundings,
  warn: Warn,
): void {
  const { percents, path } = wantedShares(section, around);
  if (!section.dcb || percents.length === 0) return;
  const bent = bentShares(percents, classRows(section, around));
  if (bent.length === 0) return;
  const list = bent.map(
    ({ tc, share, got }) => `${share}% of class ${tc} become ${got.toFixed(1)}%`,
  );
  const reason = `a refill is ${REFILL_MOST} times 64 bytes at most, and half a frame at least`;
  warn(path, around.name, `refills cannot express these shares: ${list.join(', ')} (${reason})`);
}

/** Warns of classes that have a share of the link, and no flow of the host that sends in them. */
export function warnOfIdleShares(
  section: Nic82599Section,
  around: NicSurroundings,
  sent: readonly Pick<NicFlow, 'priority'>[],
  warn: Warn,
): void {
  const { percents, path } = wantedShares(section, around);
  if (!section.dcb || sent.length === 0) return;
  const used = new Set(sent.map(({ priority }) => around.transmit[priority]));
  const idle = percents.flatMap((share, tc) => {
    return share > 0 && !used.has(tc) ? [`${share}% of class ${tc}`] : [];
  });
  if (idle.length === 0) return;
  const list = idle.join(', ');
  warn(
    path,
    around.name,
    `shares without load: ${list}; what they leave goes to the other classes`,
  );
}

/** By class: percent of the link that the scenario wants it to have, and where it says so. */
function wantedShares(
  { bandwidth, path }: Nic82599Section,
  { arbiter, arbiterPath }: NicSurroundings,
): { readonly percents: readonly number[]; readonly path: Path } {
  if (bandwidth !== null) {
    const percents = linkPercents(bandwidth.classes, bandwidth.groups);
    return { percents, path: [...path, 'bandwidth'] };
  }
  if (arbiter?.kind !== 'ets') return { percents: [], path };
  return { percents: arbiter.shares.map((share) => share ?? 0), path: arbiterPath };
}

function bentShares(
  wanted: readonly number[],
  rows: readonly WspClass[],
): { tc: number; share: number; got: number }[] {
  const configured = wanted.reduce((sum, share) => sum + share, 0);
  const given = rows.reduce((sum, { refill }, tc) => sum + (wanted[tc] > 0 ? refill : 0), 0);
  return wanted.flatMap((share, tc) => {
    if (share === 0) return [];
    const got = (100 * rows[tc].refill) / given;
    const differs = Math.abs(got - (100 * share) / configured) >= WORTH_A_WORD;
    return differs ? [{ tc, share, got }] : [];
  });
}
