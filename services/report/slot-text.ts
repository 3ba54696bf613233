import type { RunResults, SlotPortResult, SlotResult } from '../runtime/results/results.js';
import { formatCount, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

const ROWS_SHOWN = 8;

/** Buffer in slots, and the ports paused for want of them; empty where no switch has slots. */
export function slotText({ slots, slotPorts }: RunResults, style: Style): string {
  if (slots.length === 0) return '';
  return [
    style.strong('Slots of the frame data buffer'),
    ...devicesIn(slots).slice(0, ROWS_SHOWN).map(regionsText),
    portTable(slotPorts),
    more(slotPorts.length),
    causeText(slotPorts),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function devicesIn(slots: readonly SlotResult[]): (readonly SlotResult[])[] {
  const names = [...new Set(slots.map(({ device }) => device))];
  return names.map((name) => slots.filter(({ device }) => device === name));
}

/** `s1 at the most: shared 26 of 26, sources 14 of 480, P7 8 of 8` */
function regionsText(regions: readonly SlotResult[]): string {
  const parts = regions
    .filter(({ peak }) => peak > 0)
    .map(({ region, peak, slots }) => `${region} ${peak} of ${slots}`);
  return `  ${regions[0]!.device} at the most: ${parts.length > 0 ? parts.join(', ') : 'nothing'}`;
}

function portTable(ports: readonly SlotPortResult[]): string {
  const rows = ports
    .slice(0, ROWS_SHOWN)
    .map((p) => [
      p.port,
      p.flowControl ? 'on' : 'off',
      `${p.peakSlots} of ${p.sourceSlots}`,
      p.xoffSlots === null ? '–' : String(p.xoffSlots),
      p.headroomSlots === null ? '–' : `${p.headroomSlots} of ${p.neededSlots}`,
      formatCount(p.xoffs),
      formatTime(p.peerPausedPs),
      formatCount(p.downgradedFrames),
      formatCount(p.wredDrops),
    ]);
  const head = ['port', '802.3x', 'own slots', 'Xoff at', 'behind, needs', 'Xoffs', 'paused'];
  return table([...head, 'downgraded', 'WRED drops'], rows);
}

/** Pauses apply to all outputs: frames of a source for an idle one wait, too. */
function causeText(ports: readonly SlotPortResult[]): string {
  const paused = ports.filter(({ peerPausedPs }) => peerPausedPs > 0);
  if (paused.length === 0) return '';
  const names = paused.slice(0, ROWS_SHOWN).map(({ port }) => port);
  const list = names.join(', ');
  return `  head-of-line blocking: 802.3x paused ${list} for every destination`;
}

function more(count: number): string {
  return count > ROWS_SHOWN ? `  and ${formatCount(count - ROWS_SHOWN)} more` : '';
}
