/** A scenario under another mechanism: the settings that turn it into that. */

import type { LoadedScenario } from './load-scenario.js';

/** What rules a link, of which a contender has exactly one. */
const HOLDS = ['none', 'pause', 'pfc', 'credit'] as const;
/** What slows sources down, of which it has one at most. */
const CONTROLS = ['dcqcn', 'qcn'] as const;

type Hold = (typeof HOLDS)[number];
type Control = (typeof CONTROLS)[number];

/** Where the scenario marks nothing and a contender needs marks: as for 100 Gb/s. */
const MARKING = { min: '100KB', max: '400KB', probability: '20%' };

export interface Contender {
  /** As the user wrote it: `pfc+dcqcn`. */
  readonly name: string;
  readonly hold: Hold;
  readonly control: Control | 'none';
}

/** The name is not one of a contender; the message says what would be. */
export class ContenderError extends Error {}

export function contenderOf(name: string): Contender {
  const parts = name.split('+');
  const holds = parts.filter((part): part is Hold => (HOLDS as readonly string[]).includes(part));
  const controls = parts.filter((part): part is Control =>
    (CONTROLS as readonly string[]).includes(part),
  );
  const isSound =
    holds.length <= 1 && controls.length <= 1 && holds.length + controls.length === parts.length;
  if (isSound) return { name, hold: holds[0] ?? 'none', control: controls[0] ?? 'none' };
  throw new ContenderError(
    `not a mechanism: ${name}; write one of ${HOLDS.join(', ')}, and behind it ` +
      CONTROLS.map((control) => `+${control}`).join(' or '),
  );
}

/** Priorities that a duel is about: those under flow control, or all that carry load. */
export function disputedPriorities({ scenario }: LoadedScenario): number[] {
  const ruled = scenario.priorities.flatMap(({ flowControl }, priority) =>
    flowControl === 'none' ? [] : [priority],
  );
  if (ruled.length > 0) return ruled;
  return [...new Set(scenario.load.map(({ priority }) => priority))].sort((a, b) => a - b);
}

/** `path=value` settings that make a scenario use the contender's mechanisms. */
export function settingsFor(contender: Contender, loaded: LoadedScenario): string[] {
  const { hold, control } = contender;
  const priorities = disputedPriorities(loaded);
  const document = loaded.document as Readonly<Record<string, unknown>>;
  const sections = asMapping(document['priorities']);
  const settings = priorities.map((priority) => {
    const { ecn, ...own } = asMapping(sections[priority]);
    const marks = ecn !== undefined || control === 'dcqcn' ? { ecn: ecn ?? MARKING } : {};
    const flowControl = hold === 'pause' ? 'none' : hold;
    return `priorities.${priority}=${JSON.stringify({ ...own, flowControl, ...marks })}`;
  });
  settings.push(`pause=${hold === 'pause' ? pauseOf(document['pause']) : 'false'}`);
  if (control === 'qcn') {
    const qcn = { ...asMapping(document['qcn']), priorities };
    settings.push(`qcn=${JSON.stringify(qcn)}`);
  }
  loaded.scenario.load.forEach(({ priority }, i) => {
    if (priorities.includes(priority)) settings.push(`load.${i}.congestion=${control}`);
  });
  return settings;
}

function pauseOf(section: unknown): string {
  return JSON.stringify(typeof section === 'object' && section !== null ? section : true);
}

function asMapping(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
