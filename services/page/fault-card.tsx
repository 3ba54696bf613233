import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatTime } from '../report/format.js';
import type { FaultField } from '../fabric/faults/fault-look.js';
import type { LiveAnswer, ShownFault } from '../report/page/live-data.js';
import type { FaultChoice } from '../report/page/page-data.js';
import { say } from './live-link.js';
import { Card } from './panels.js';

/** Puts a fault into the run, at a port that was clicked. */
export function FaultCard(props: {
  readonly choices: readonly FaultChoice[];
  readonly faults: readonly ShownFault[];
  readonly port: string;
  readonly isLost: boolean;
}): JSX.Element {
  const { choices, faults, port, isLost } = props;
  const [chosen, choose] = useState(choices[0]!);
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
              choose(choices.find(({ kind }) => kind === event.currentTarget.value)!);
            }}
          >
            {choices.map(({ kind }) => (
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
  readonly field: FaultField;
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
