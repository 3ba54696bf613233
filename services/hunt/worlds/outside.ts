/** What users bring from outside of a world: a congestion control in a file of their own. */

import { sha256Of } from '../../plugins/source.js';
import type { Draft } from './drafter.js';
import type { Sampler } from './sampler.js';

/** Of worlds. */
const PART = 0.06;
const NAME = 'outsider';

/** In some worlds loads are paced by a plugin, which uses all that a plugin may use. */
export function plugIn(draft: Draft, sampler: Sampler): void {
  if (!sampler.chance(PART)) return;
  const reactsToMarks = sampler.chance(0.3);
  const text = reactsToMarks ? onMarks(sampler) : onAnswers(sampler);
  draft['plugins'] = [{ file: `${NAME}.mjs`, sha256: sha256Of(text), text }];
  if (sampler.chance(0.5)) draft[NAME] = { begin: sampler.pick(['5%', '30%', '100%']) };
  for (const load of draft['load'] as Draft[]) {
    if ('replay' in load || !sampler.chance(0.7)) continue;
    load['congestion'] = NAME;
    if (!reactsToMarks) load['transport'] = 'reliable';
    delete load['spoof'];
    delete load['frame'];
    if (reactsToMarks) mark(draft, load['priority'] as number);
  }
}

/** Receivers answer marks, so the priority has them. */
function mark(draft: Draft, priority: number): void {
  const priorities = draft['priorities'] as Record<string, unknown>;
  const own = priorities[priority] ?? 'none';
  const keys = typeof own === 'object' ? own : { flowControl: own };
  priorities[priority] = { ecn: { step: '5KB' }, ...keys };
}

function onAnswers(sampler: Sampler): string {
  const grow = sampler.pick(['1.05', '1.5']);
  const targetPs = 1e6 * sampler.between(1, 30);
  return head('acknowledgements', 'acknowledged(connection, { roundTripPs, hostPs, packets }) {', [
    `connection.state.seen += packets;`,
    `const isLate = roundTripPs - hostPs > ${targetPs};`,
    `connection.rateBps = Math.max(1e6, connection.rateBps * (isLate ? 0.8 : ${grow}));`,
    `connection.windowPackets = isLate ? 1 + Math.floor(connection.random() * 9) : 64;`,
  ]);
}

function onMarks(sampler: Sampler): string {
  return head('marks', 'marked(connection) {', [
    'connection.state.seen += 1;',
    `connection.rateBps = Math.max(1e6, connection.rateBps * ${sampler.pick(['0.5', '0.9'])});`,
  ]);
}

/** It ends, loses and wakes by the clock and by chance, so that both are saved and restored. */
function head(feedback: string, opening: string, body: readonly string[]): string {
  return `export default {
  api: 1,
  kind: 'congestion-control',
  name: '${NAME}',
  help: 'Drawn.',
  feedback: '${feedback}',
  settings: { begin: { unit: 'share', default: '50%', help: 'Share of the line to begin with.' } },
  state: { seen: 0, woken: 0 },
  start(connection) {
    connection.rateBps = connection.lineBps * connection.settings.begin;
  },
  sent(connection, bytes) {
    connection.state.woken += bytes / 3;
    if (connection.random() < 0.1) connection.wakeAt(connection.now + 2e6);
  },
  ${opening}
    ${body.join('\n    ')}
  },
  timer(connection) {
    connection.rateBps = Math.max(1e9, connection.rateBps * 1.2);
  },
  lost(connection, timedOut) {
    connection.rateBps = timedOut ? 1e9 : Math.max(1e6, connection.rateBps * 0.7);
  },
};
`;
}
