import type { WspClass } from '../../engine/arbiter/wsp-arbiter.js';
import { linkPercents, REFILL_MOST } from '../../engine/nic-82599/refill-rule.js';
import type { Nic82599Section } from '../scenario/nic-section.js';
import type { Warn } from './device-warnings.js';
import type { NicSurroundings } from './nic-registers.js';
import { classRows } from './nic-registers.js';

/** Difference of two shares, in percent of the link, from which on there is a warning. */
const WORTH_A_WORD = 1;

/** Warns of shares that refills, which are truncated and at most 511, cannot express. */
export function warnOfBentShares(
  name: string,
  section: Nic82599Section,
  around: NicSurroundings,
  warn: Warn,
): void {
  const { bandwidth } = section;
  const { arbiter, arbiterPath } = around;
  const isArbiters = bandwidth === null && arbiter?.kind === 'ets';
  const wanted = isArbiters
    ? arbiter.shares.map((share) => share ?? 0)
    : bandwidth === null
      ? []
      : linkPercents(bandwidth.classes, bandwidth.groups);
  if (!section.dcb || wanted.length === 0) return;
  const rows = classRows(section, around);
  const bent = bentShares(wanted, rows);
  if (bent.length === 0) return;
  const path = isArbiters ? arbiterPath : [...section.path, 'bandwidth'];
  const list = bent.map(
    ({ tc, share, got }) => `${share}% of class ${tc} become ${got.toFixed(1)}%`,
  );
  const reason = `a refill is ${REFILL_MOST} times 64 octets at most, and half a frame at least`;
  warn(path, name, `refills cannot express these shares: ${list.join(', ')} (${reason})`);
}

function bentShares(
  wanted: readonly number[],
  rows: readonly WspClass[],
): { tc: number; share: number; got: number }[] {
  const asked = wanted.reduce((sum, share) => sum + share, 0);
  const given = rows.reduce((sum, { refill }, tc) => sum + (wanted[tc]! > 0 ? refill : 0), 0);
  return wanted.flatMap((share, tc) => {
    if (share === 0) return [];
    const got = (100 * rows[tc]!.refill) / given;
    const differs = Math.abs(got - (100 * share) / asked) >= WORTH_A_WORD;
    return differs ? [{ tc, share, got }] : [];
  });
}
