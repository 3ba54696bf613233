/** What users bring from outside of a world: a congestion control in a file of their own. */

import { sha256Of } from '../../plugins/source.js';
import type { Draft } from './drafter.js';
import type { Sampler } from './sampler.js';

/** Of worlds. */
const PART = 0.06;
const NAME = 'outsider';

/** In some worlds loads, queues or routes have a plugin, which uses all that a plugin may use. */
export function plugIn(draft: Draft, sampler: Sampler): void {
  if (sampler.chance(PART)) paceLoads(draft, sampler);
  if (sampler.chance(PART)) markQueues(draft, sampler);
  if (sampler.chance(PART)) spreadFlows(draft, sampler);
  if (sampler.chance(PART)) shareLinks(draft, sampler);
}

function carry(draft: Draft, name: string, text: string): void {
  const plugins = (draft['plugins'] as Draft[] | undefined) ?? [];
  draft['plugins'] = [...plugins, { file: `${name}.mjs`, sha256: sha256Of(text), text }];
}

/** A priority that is marked anyway is marked by what the queue was, and by chance. */
function markQueues(draft: Draft, sampler: Sampler): void {
  const name = 'reader';
  const at = sampler.pick(['enqueue', 'dequeue']);
  const marked = Object.values(draft['priorities'] as Draft).filter(
    (own): own is Draft => typeof own === 'object' && 'ecn' in (own as Draft),
  );
  if (marked.length === 0) return;
  carry(
    draft,
    name,
    `export default {
  api: 1, kind: 'marking', name: '${name}', help: 'Drawn.', at: '${at}',
  settings: { above: { unit: 'size', default: '3KB', help: 'Average.' } },
  state: { average: 0, seen: 0 },
  marks(queue) {
    const { state, settings } = queue;
    state.average += 0.1 * (queue.bytes - state.average);
    state.seen += queue.capable ? 1 : queue.frameBytes / 1e3;
    if (state.average < settings.above || queue.freeBytes < 0) return false;
    return queue.random() < 0.3 || state.seen % 7 > 6;
  },
};
`,
  );
  // Priorities of a class agree about their marking.
  for (const own of marked) own['ecn'] = name;
}

/** Flows take ports by queues, by what the ports and the flow had before, and by chance. */
function spreadFlows(draft: Draft, sampler: Sampler): void {
  const name = 'spreader';
  const gap = sampler.pick(['0ns', '2us', '1ms']);
  carry(
    draft,
    name,
    `export default {
  api: 1, kind: 'balancing', name: '${name}', help: 'Drawn.',
  settings: { gap: { unit: 'time', default: '${gap}', help: 'Gap.' } },
  state: { turn: 0 },
  flows: { slots: ${sampler.pick(['1', '3', '64'])}, state: { port: 0, at: -Infinity } },
  chooses(choice) {
    const { count, flow, state, now, settings } = choice;
    if (now - flow.at >= settings.gap || flow.port >= count) {
      state.turn = (state.turn + 1) % count;
      const drawn = Math.floor(choice.random() * count);
      flow.port = choice.queueBytes(drawn) < choice.queueBytes(state.turn) ? drawn : state.turn;
    }
    flow.at = now;
    return flow.port;
  },
};
`,
  );
  const switches = (draft['switches'] ?? {}) as Draft;
  draft['switches'] = { ...switches, ecmp: name };
}

/** Ports serve classes by their queues, by what classes had before, and by chance. */
function shareLinks(draft: Draft, sampler: Sampler): void {
  const name = 'server';
  carry(
    draft,
    name,
    `export default {
  api: 1, kind: 'arbiter', name: '${name}', help: 'Drawn.',
  settings: { gap: { unit: 'time', default: '${sampler.pick(['1us', '50us'])}', help: 'Gap.' } },
  state: { served: 0 }, classes: { bytes: 0, at: 0 },
  serves(turn) {
    const { classes, now, settings, state } = turn;
    const waiting = [0, 1, 2, 3, 4, 5, 6, 7].filter((tc) => turn.isEligible(tc));
    const late = waiting.find((tc) => now - classes[tc].at > settings.gap);
    const least = waiting.reduce((a, b) => (classes[b].bytes < classes[a].bytes ? b : a));
    const longest = waiting.reduce((a, b) => (turn.queueBytes(b) > turn.queueBytes(a) ? b : a));
    const tc = late ?? (turn.random() < 0.5 ? least : longest);
    state.served += 1;
    classes[tc].bytes += turn.headBytes(tc) / turn.lineBps;
    classes[tc].at = now;
    return tc;
  },
};
`,
  );
  const where = sampler.pick(['switches', 'classes'] as const);
  draft[where] = { ...((draft[where] ?? {}) as Draft), arbiter: name };
}

/** Loads are paced. */
function paceLoads(draft: Draft, sampler: Sampler): void {
  const feedback = sampler.pick(['acknowledgements', 'echoes', 'marks'] as const);
  const reactsToMarks = feedback === 'marks';
  const text = { acknowledgements: onAnswers, echoes: onEchoes, marks: onMarks }[feedback](sampler);
  carry(draft, NAME, text);
  if (sampler.chance(0.5)) draft[NAME] = { begin: sampler.pick(['5%', '30%', '100%']) };
  for (const load of draft['load'] as Draft[]) {
    if ('replay' in load || !sampler.chance(0.7)) continue;
    load['congestion'] = NAME;
    if (!reactsToMarks) load['transport'] = 'reliable';
    delete load['spoof'];
    delete load['frame'];
    if (feedback !== 'acknowledgements') mark(draft, load['priority'] as number);
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

function onEchoes(sampler: Sampler): string {
  return head('echoes', 'answered(connection, { packets, marked, roundTripPs }) {', [
    'connection.state.seen += marked ? packets : 0.1;',
    `const cut = marked || roundTripPs === null ? ${sampler.pick(['0.5', '0.9'])} : 1;`,
    'const grown = connection.windowPackets * cut + packets / connection.windowPackets;',
    'connection.windowPackets = Math.min(64, Math.max(1, grown));',
    'connection.rateBps = Math.max(1e6, connection.rateBps * (marked ? 0.9 : 1.1));',
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
