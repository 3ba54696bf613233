/** Buffer that flow control needs, term by term, as text and as JSON. */

import type { PortSizes } from '../fabric/sizing/memory-sizes.js';
import type { OtherHeadroom } from '../fabric/sizing/other-headroom.js';
import type { PortSize } from '../fabric/sizing/placed-size.js';
import { formatCount, formatRate, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

/** Of a port: what others reckon, to set beside its headroom. */
type Others = (port: PortSizes) => readonly OtherHeadroom[];

const NO_OTHERS: Others = () => [];

/** Ports with the same sizes share a paragraph. */
export function sizeText(
  ports: readonly PortSizes[],
  style: Style,
  others: Others = NO_OTHERS,
): string {
  const groups = new Map<string, PortSizes[]>();
  for (const port of ports.filter(({ sizes }) => sizes.length > 0)) {
    const { rateBps, propagationPs, sizes } = port;
    const key = JSON.stringify([rateBps, propagationPs, sizes]);
    groups.set(key, [...(groups.get(key) ?? []), port]);
  }
  if (groups.size === 0) return 'no link has flow control that needs memory';
  return [...groups.values()].map((group) => groupText(group, style, others)).join('\n\n');
}

/** Amounts in bytes; of headroom, also the sum that Annex N has without this model's terms. */
export function sizeJson(ports: readonly PortSizes[], others: Others = NO_OTHERS): object[] {
  return ports.map((port) => withOthers(port, others(port)));
}

function withOthers({ sizes, ...link }: PortSizes, others: readonly OtherHeadroom[]): object {
  return {
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
    ...(others.length > 0 && {
      others: others.map(({ called, terms, totalOctets, problem }) => ({
        ...{ called, terms, totalBytes: totalOctets, problem },
      })),
    }),
  };
}

function groupText(ports: readonly PortSizes[], style: Style, others: Others): string {
  const [first] = ports as [PortSizes];
  const { port, partner, rateBps, propagationPs, sizes } = first;
  const more = ports.length === 1 ? '' : ` and ${formatCount(ports.length - 1)} more like it`;
  const head =
    `${style.strong(port)} from ${partner}${more}: ${formatRate(rateBps)}, ` +
    `${formatTime(propagationPs)} of link`;
  const beside = others(first);
  const problems = beside.flatMap(({ problem }) => (problem === null ? [] : [`  ${problem}`]));
  return [head, ...sizes.map((size) => sizeParagraph(size, beside)), ...problems].join('\n');
}

function sizeParagraph(size: PortSize, beside: readonly OtherHeadroom[]): string {
  const others = size.kind === 'headroom' ? beside : [];
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
    .filter(({ term, octets }) => octets !== 0 || others.some(({ terms }) => terms[term]))
    .map(({ term, meaning, ps, octets }) => [
      `  ${meaning}`,
      term,
      formatCount(octets),
      ps === null ? '–' : formatTime(ps),
      ...others.map(({ terms }) => countOr(terms[term] ?? null)),
    ]);
  const empty = others.map(() => '–');
  const total =
    annexNOctets === null
      ? []
      : [['  together by Annex N', '', formatCount(annexNOctets), '–', ...empty]];
  const all =
    others.length === 0
      ? []
      : [
          ['  in all', '', formatCount(neededOctets), '–'].concat(
            others.map(({ totalOctets }) => countOr(totalOctets)),
          ),
        ];
  const columns = ['  what', 'term', others.length === 0 ? 'bytes' : 'auto', 'lasts'];
  const names = others.map(({ called }) => called);
  return `${head}\n${table([...columns, ...names], [...rows, ...total, ...all])}`;
}

function countOr(octets: number | null): string {
  return octets === null ? '–' : formatCount(octets);
}
