/** Advice on thresholds, as text and as JSON. */

import { formatCount, formatRate, formatTime } from '../report/format.js';
import type { Style } from '../report/style.js';
import { table } from '../report/table.js';
import type { Advice, Proven } from './advise.js';

interface Row {
  readonly title: string;
  readonly value: Proven | null;
  readonly given: number | null;
  readonly otherwise: string;
}

export function adviceText(advice: readonly Advice[], style: Style): string {
  if (advice.length === 0) return 'no port of a switch pauses its link partner by XOFF and XON';
  return advice.map((own) => paragraph(own, style)).join('\n\n');
}

/** Amounts in bytes. */
export function adviceJson(advice: readonly Advice[]): object[] {
  return advice.map((own) => {
    const { ports, partner, rateBps, propagationPs, method, priorities, given } = own;
    return {
      ...{ ports, partner, rateBps, propagationPs, method, priorities },
      given: { headroomBytes: given.headroom, xoffBytes: given.xoff, xonBytes: given.xon },
      headroom: provenJson(own.headroom),
      xoff: provenJson(own.xoff),
      xon: provenJson(own.xon),
      marking: provenJson(own.marking),
      isSafe: isSafe(own),
    };
  });
}

/** What is given loses no frame. */
export function isSafe({ given, headroom }: Advice): boolean {
  return given.headroom >= headroom.advised;
}

function provenJson(value: Proven | null): object | null {
  if (value === null) return null;
  const { advised, limit, step, isProven } = value;
  const beyondBytes = limit - step;
  return { advisedBytes: advised, limitBytes: limit, beyondBytes, isProven };
}

function paragraph(advice: Advice, style: Style): string {
  const { ports, partner, rateBps, propagationPs, method, priorities, given } = advice;
  const more = ports.length === 1 ? '' : ` and ${formatCount(ports.length - 1)} more like it`;
  const head =
    `${style.strong(ports[0]!)} from ${partner}${more}: ${formatRate(rateBps)}, ` +
    `${formatTime(propagationPs)} of link, ${method} on priority ${priorities.join(', ')}`;
  const rows: Row[] = [
    row('headroom, at least', advice.headroom, given.headroom, 'a frame is lost'),
    row('XOFF, at most', advice.xoff, given.xoff, 'ports take the buffer of each other'),
    row('XON, at least', advice.xon, given.xon, 'the egress port idles'),
    row('marking, at most', advice.marking, null, 'paused before a frame is marked'),
  ];
  const lines = table(
    ['threshold', 'given', 'advised', 'run holds at', 'and not at', 'there'],
    rows.map(cellsOf),
  );
  const notes = [
    ...(isSafe(advice) ? [] : [style.bad('  the headroom that is given may lose frames')]),
    ...(advice.xoff === null
      ? ['  the buffer leaves no room for XOFF above XON at all ports at once']
      : []),
  ];
  return [head, lines, ...notes].join('\n');
}

function row(title: string, value: Proven | null, given: number | null, otherwise: string): Row {
  return { title, value, given, otherwise };
}

function cellsOf({ title, value, given, otherwise }: Row): string[] {
  const before = given === null ? '–' : formatCount(Math.floor(given));
  if (value === null) return [title, before, '–', '–', '–', ''];
  const { advised, limit, step, isProven } = value;
  return [
    ...[title, before, formatCount(advised), formatCount(limit), formatCount(limit - step)],
    isProven ? otherwise : 'not proven',
  ];
}
