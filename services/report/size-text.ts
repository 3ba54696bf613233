/** Buffer that flow control needs, term by term, as text and as JSON. */

import type { PortSizes } from '../fabric/sizing/memory-sizes.js';
import type { PortSize } from '../fabric/sizing/placed-size.js';
import { formatCount, formatRate, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

/** Ports with the same sizes share a paragraph. */
export function sizeText(ports: readonly PortSizes[], style: Style): string {
  const groups = new Map<string, PortSizes[]>();
  for (const port of ports.filter(({ sizes }) => sizes.length > 0)) {
    const { rateBps, propagationPs, sizes } = port;
    const key = JSON.stringify([rateBps, propagationPs, sizes]);
    groups.set(key, [...(groups.get(key) ?? []), port]);
  }
  if (groups.size === 0) return 'no link has flow control that needs memory';
  return [...groups.values()].map((group) => groupText(group, style)).join('\n\n');
}

/** Amounts in bytes; of headroom, also the sum that Annex N has without this model's terms. */
export function sizeJson(ports: readonly PortSizes[]): object[] {
  return ports.map(({ sizes, ...link }) => ({
    ...link,
    sizes: sizes.map(
      ({ kind, priorities, terms, annexNOctets, neededOctets, givenOctets, thresholds }) => ({
        ...{ kind, priorities },
        terms: terms.map(({ term, meaning, ps, octets }) => ({ term, meaning, ps, bytes: octets })),
        ...(annexNOctets !== null && { annexNBytes: annexNOctets }),
        neededBytes: neededOctets,
        givenBytes: givenOctets,
        thresholds,
      }),
    ),
  }));
}

function groupText(ports: readonly PortSizes[], style: Style): string {
  const [{ port, partner, rateBps, propagationPs, sizes }] = ports as [PortSizes];
  const more = ports.length === 1 ? '' : ` and ${formatCount(ports.length - 1)} more like it`;
  const head =
    `${style.strong(port)} from ${partner}${more}: ${formatRate(rateBps)}, ` +
    `${formatTime(propagationPs)} of link`;
  return [head, ...sizes.map(sizeParagraph)].join('\n');
}

function sizeParagraph(size: PortSize): string {
  const { title, priorities, terms, annexNOctets, neededOctets, givenOctets, thresholds } = size;
  const limits = Object.entries(thresholds)
    .filter(([, octets]) => Number.isFinite(octets))
    .map(([name, octets]) => `${name} ${formatCount(octets)}`);
  const head = [
    `  priority ${priorities.join(', ')}: ${title}`,
    `${formatCount(neededOctets)} bytes`,
    ...(givenOctets === null ? [] : [`given ${formatCount(givenOctets)}`]),
    ...limits,
  ].join('; ');
  const rows = terms
    .filter(({ octets }) => octets !== 0)
    .map(({ term, meaning, ps, octets }) => [
      `  ${meaning}`,
      term,
      formatCount(octets),
      ps === null ? '–' : formatTime(ps),
    ]);
  const total =
    annexNOctets === null ? [] : [['  together by Annex N', '', formatCount(annexNOctets), '–']];
  return `${head}\n${table(['  what', 'term', 'bytes', 'lasts'], [...rows, ...total])}`;
}
