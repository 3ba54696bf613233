import { MAC_CONTROL_KINDS } from '../engine/wire/mac-control/kinds.js';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatTime } from '../report/format.js';
import type { LiveAnswer, ShownFault } from '../report/page/live-data.js';
import { say } from './live-link.js';
import { Card } from './panels.js';

/** What a kind of fault needs beside where and for how long, and what to begin with. */
interface Field {
  readonly key: string;
  readonly text: string;
  readonly choices?: readonly string[];
}

interface FaultKind {
  readonly kind: string;
  readonly says: string;
  readonly fields: readonly Field[];
}

const FRAMES = [
  'any',
  ...MAC_CONTROL_KINDS.map(({ name }) => name),
  'ce-tag-request',
  'ce-tag-grant',
  'cc-update',
  'cf-update',
];

const KINDS: readonly FaultKind[] = [
  { kind: 'link-down', says: 'the link has no carrier', fields: [] },
  {
    ...{ kind: 'loss', says: 'frames that arrive at the port are lost' },
    fields: [{ key: 'probability', text: '10%' }],
  },
  {
    ...{ kind: 'bit-errors', says: 'bits of frames that arrive are wrong' },
    fields: [{ key: 'errorRate', text: '1e-6' }],
  },
  {
    ...{ kind: 'delay', says: 'the link is longer' },
    fields: [{ key: 'delay', text: '1us' }],
  },
  {
    ...{ kind: 'slow-link', says: 'both directions run at a lower rate' },
    fields: [{ key: 'rate', text: '10G' }],
  },
  {
    ...{ kind: 'control', says: 'control frames that arrive are lost, doubled, spoilt or late' },
    fields: [
      { key: 'frames', text: MAC_CONTROL_KINDS[1]!.name, choices: FRAMES },
      { key: 'action', text: 'lose', choices: ['lose', 'duplicate', 'corrupt', 'delay'] },
      { key: 'probability', text: '10%' },
    ],
  },
  { kind: 'freeze', says: 'the port sends nothing at all', fields: [] },
  {
    ...{ kind: 'storm', says: 'a broken NIC stops its link partner, again and again' },
    fields: [{ key: 'priority', text: '3' }],
  },
  {
    ...{ kind: 'steal-credit', says: 'credit in the hand of the port is gone' },
    fields: [
      { key: 'size', text: '6KB' },
      { key: 'interval', text: '5us' },
    ],
  },
  {
    ...{ kind: 'slow-receiver', says: 'the application of the host reads slowly' },
    fields: [{ key: 'rate', text: '10G' }],
  },
  { kind: 'stuck-credit', says: "the port's credit counter takes no grant", fields: [] },
  {
    ...{ kind: 'shrink-buffer', says: 'the switch has so much less memory to share' },
    fields: [{ key: 'size', text: '1MB' }],
  },
  {
    ...{ kind: 'wrong-map', says: 'the NIC pauses by another table of classes than software' },
    fields: [{ key: 'classes', text: '0, 1, 2, 4, 3, 5, 6, 7' }],
  },
  { kind: 'reboot', says: 'the switch loses all that it holds and has learned', fields: [] },
];

/** Puts a fault into the run, at a port that was clicked. */
export function FaultCard(props: {
  readonly faults: readonly ShownFault[];
  readonly port: string;
  readonly isLost: boolean;
}): JSX.Element {
  const { faults, port, isLost } = props;
  const [chosen, choose] = useState(KINDS[0]!);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [lasts, setLasts] = useState('20us');
  const [answer, setAnswer] = useState<LiveAnswer | null>(null);
  const inject = async (): Promise<void> => {
    const values = chosen.fields.map(({ key, text }) => [key, valueOf(texts[key] ?? text)]);
    const words: Record<string, unknown> = { kind: chosen.kind, where: { port } };
    if (lasts !== '') words['for'] = lasts;
    const fault = { ...words, ...Object.fromEntries(values) } as Record<string, unknown>;
    setAnswer(await say('faults', { kind: 'inject', fault }));
  };
  const field = (name: string, input: JSX.Element): JSX.Element => (
    <label key={name}>
      <span>{name}</span>
      {input}
    </label>
  );
  return (
    <Card title="Inject a fault" note={`at ${port}; click another port in the fabric above`} wide>
      <form
        class="fault"
        onSubmit={(event) => {
          event.preventDefault();
          void inject();
        }}
      >
        {field(
          'fault',
          <select
            aria-label="kind of fault"
            onChange={(event) => {
              choose(KINDS.find(({ kind }) => kind === event.currentTarget.value)!);
            }}
          >
            {KINDS.map(({ kind }) => (
              <option key={kind} value={kind} selected={kind === chosen.kind}>
                {kind}
              </option>
            ))}
          </select>,
        )}
        {chosen.fields.map((one) =>
          field(
            one.key,
            <FieldInput
              field={one}
              text={texts[one.key] ?? one.text}
              change={(text) => {
                setTexts({ ...texts, [one.key]: text });
              }}
            />,
          ),
        )}
        {field(
          'for',
          <input
            value={lasts}
            placeholder="to the end"
            size={9}
            onInput={(event) => {
              setLasts(event.currentTarget.value);
            }}
          />,
        )}
        <button type="submit" class="on" disabled={isLost}>
          inject
        </button>
        <span class="faint">{chosen.says}</span>
      </form>
      {answer !== null && <p class={answer.done ? 'good' : 'bad'}>{answer.detail}</p>}
      <FaultList faults={faults} isLost={isLost} />
    </Card>
  );
}

function FieldInput(props: {
  readonly field: Field;
  readonly text: string;
  readonly change: (text: string) => void;
}): JSX.Element {
  const { field, text, change } = props;
  if (field.choices === undefined) {
    return (
      <input
        value={text}
        size={9}
        onInput={(event) => {
          change(event.currentTarget.value);
        }}
      />
    );
  }
  return (
    <select
      onChange={(event) => {
        change(event.currentTarget.value);
      }}
    >
      {field.choices.map((choice) => (
        <option key={choice} value={choice} selected={choice === text}>
          {choice}
        </option>
      ))}
    </select>
  );
}

function FaultList(props: {
  readonly faults: readonly ShownFault[];
  readonly isLost: boolean;
}): JSX.Element | null {
  const { faults, isLost } = props;
  if (faults.length === 0) return null;
  return (
    <ul class="faults">
      {faults.map(({ name, text, atPs, isOver }) => (
        <li key={name}>
          <b>{formatTime(atPs)}</b> <span>{text}</span>
          {!isOver && (
            <button
              type="button"
              disabled={isLost}
              onClick={() => void say('faults', { kind: 'clear', name })}
            >
              clear
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** In the scenario's language a plain number is no text, and numbers with commas are a list. */
function valueOf(text: string): string | number | readonly number[] {
  if (/^\s*\d+(\s*,\s*\d+)+\s*$/.test(text)) return text.split(',').map(Number);
  return /^\d+(\.\d+)?(e-?\d+)?$/.test(text) ? Number(text) : text;
}
