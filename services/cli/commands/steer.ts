import { selvage } from '#contracts';
import { formatTime } from '../../report/format.js';
import { QuantityError, time } from '../../settings/quantities.js';
import { EXIT, InputError } from '../exit.js';
import { CoordinatorClient } from '../fleet/coordinator-client.js';
import type { LiveRun } from '../fleet/live-runs.js';
import { liveRuns } from '../fleet/live-runs.js';
import { isOver, phaseName, showStatus } from '../fleet/phases.js';
import type { ServiceRow } from '../fleet/service-table.js';
import {
  checkpointText,
  serviceLines,
  serviceRows,
  throughputText,
} from '../fleet/service-table.js';
import { ProgressLine } from '../progress.js';

const { Action } = selvage.v1.SteerRequest;

const ACTIONS = {
  pause: Action.ACTION_PAUSE,
  resume: Action.ACTION_RESUME,
  step: Action.ACTION_STEP,
  checkpoint: Action.ACTION_CHECKPOINT,
  stop: Action.ACTION_STOP,
};

export type SteerAction = keyof typeof ACTIONS;

export interface SteerOptions {
  readonly json?: boolean;
  /** Of a step: virtual time. */
  readonly for?: string;
}

/** Finds a run and does something with its coordinator. */
export type Reach = (
  run: string | undefined,
  act: (client: CoordinatorClient, name: string) => Promise<number>,
) => Promise<number>;

const PATIENCE_MS = 60_000;

/** Answers by action. */
const ANSWERS: Readonly<Record<SteerAction, string>> = {
  pause: 'pauses',
  resume: 'goes on',
  step: 'goes on for one round',
  checkpoint: 'writes a checkpoint',
  stop: 'ends here',
};

/** Sends a control request to the coordinator of a run. */
export async function steerCommand(
  action: SteerAction,
  run: string | undefined,
  { json, for: lasts }: SteerOptions,
  reach: Reach = withRun,
): Promise<number> {
  const stepPs = lasts === undefined ? 0 : lengthOf(lasts);
  return reach(run, async (client, name) => {
    const { done, detail } = await client.steer(ACTIONS[action], stepPs);
    if (!done) throw new InputError(detail);
    const answer = { run: name, action, ...(stepPs > 0 && { stepPs }) };
    const words = stepPs > 0 ? `goes on for ${formatTime(stepPs)}` : ANSWERS[action];
    const text = json === true ? JSON.stringify(answer) : `${name}  ${words}`;
    process.stdout.write(`${text}\n`);
    return EXIT.COMPLETE;
  });
}

function lengthOf(text: string): number {
  try {
    const ps = time.parse(text);
    if (ps > 0) return ps;
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
  }
  throw new InputError(`--for ${text}: not a length of virtual time; write it like 10us`);
}

/** Lists the runs of this user. */
export async function statusCommand(
  run: string | undefined,
  options: { readonly json?: boolean },
): Promise<number> {
  const runs = run === undefined ? liveRuns() : [findRun(run)];
  const all = await Promise.all(runs.map(statusOf));
  if (options.json === true) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  else if (all.length === 0) process.stdout.write('no run is under way\n');
  else process.stdout.write(`${all.flatMap(statusLines).join('\n')}\n`);
  return EXIT.COMPLETE;
}

/** Follows a run to its end, as the command that started it does. */
export async function attachCommand(run: string | undefined): Promise<number> {
  return withRun(run, async (client) => {
    const progress = new ProgressLine(process.stderr.isTTY ? process.stderr : null);
    const onStatus = (status: selvage.v1.RunStatus): void => {
      showStatus(progress, status);
    };
    const last = await client.follow(onStatus, isOver, PATIENCE_MS);
    progress.clear();
    process.stdout.write(`${phaseName(last)} at ${formatTime(last.virtualPs)}\n`);
    if (last.phase === selvage.v1.RunStatus.Phase.PHASE_FAILED) return EXIT.RUN_FAILED;
    return EXIT.COMPLETE;
  });
}

interface StatusEntry {
  readonly run: string;
  readonly scenario: string;
  readonly text: string;
  readonly parts?: readonly ServiceRow[];
  // And the coordinator's status, if it answered.
  readonly [key: string]: unknown;
}

async function statusOf(live: LiveRun): Promise<StatusEntry> {
  const client = clientOf(live);
  return statusEntry(client, live).finally(() => {
    client.close();
  });
}

/** The state of a run as its coordinator reports it. */
export async function statusEntry(
  client: CoordinatorClient,
  { run, scenario }: Pick<LiveRun, 'run' | 'scenario'>,
): Promise<StatusEntry> {
  const status = await client.status();
  if (status === null) return { run, scenario, text: 'the coordinator does not answer' };
  const phase = phaseName(status);
  const { virtualPs, share, connected, services, epoch, messages, checkpointPs, detail } = status;
  const text =
    `${phase}, ${formatTime(virtualPs)} (${Math.floor(share * 100)} %), ` +
    `${throughputText(status)}, ${connected} of ${services} services, epoch ${epoch}, ` +
    checkpointText(status) +
    (detail === '' ? '' : `: ${detail}`);
  const { frameHops, rounds, ignoredMessages, resentMessages } = status;
  const { psPerSecond, checkpointAgeMs } = status;
  return {
    ...{ run, scenario, phase, virtualPs, share, frameHops, services, connected, epoch, rounds },
    ...{ messages, ignoredMessages, resentMessages, checkpointPs, detail, text },
    ...{ psPerSecond, checkpointAgeMs, parts: serviceRows(status) },
  };
}

function statusLines({ run, scenario, text, parts = [] }: StatusEntry): string[] {
  const services = parts.length === 0 ? [] : serviceLines(parts).map((line) => `  ${line}`);
  return [`${run}  ${scenario}: ${text}`, ...services];
}

/** Does something with the selected run. */
export async function withRun(
  run: string | undefined,
  act: (client: CoordinatorClient, name: string) => Promise<number>,
): Promise<number> {
  const live = findRun(run);
  const client = clientOf(live);
  try {
    return await act(client, live.run);
  } finally {
    client.close();
  }
}

function clientOf({ coordinator, token, tls }: LiveRun): CoordinatorClient {
  return new CoordinatorClient(coordinator, token, tls);
}

/** The selected run; the only one, if none is named. */
function findRun(run: string | undefined): LiveRun {
  const runs = liveRuns();
  const names = runs.map((live) => live.run).join(', ');
  if (run === undefined) {
    if (runs.length === 1) return runs[0]!;
    throw new InputError(runs.length === 0 ? 'no run is under way' : `which run? ${names}`);
  }
  const found = runs.find((live) => live.run === run);
  if (found !== undefined) return found;
  throw new InputError(`no run ${run} is under way${names === '' ? '' : `; there are: ${names}`}`);
}
