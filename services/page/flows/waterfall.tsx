import type { JSX } from 'preact';
import { formatCount } from '../../report/format.js';
import type { FrameView, PartView, StepView } from '../../report/page/page-flow-data.js';
import { TimeAxis } from '../time-axis.js';
import { goToEpisode } from '../address.js';
import { classOf, partText, PARTS } from './part-words.js';
import { PortLink } from './port-link.js';

/** A frame from its release to its arrival: a row for each device, a bar for each part. */
export function Waterfall({ frame }: { readonly frame: FrameView }): JSX.Element {
  const { steps, bornPs } = frame;
  const parts = steps.flatMap((step) => step.parts);
  const endPs = Math.max(...parts.map((part) => part.endPs));
  const share = (ps: number): string => `${(100 * ps) / (endPs - bornPs || 1)}%`;
  const kinds = new Set(parts.map(({ kind }) => kind));
  return (
    <div class="waterfall">
      <p class="legend">
        {PARTS.filter((part) => part.kinds.some((kind) => kinds.has(kind))).map((part) => (
          <span key={part.name}>
            <i class={`swatch ${classOf(part.kinds[0]!)}`} /> {part.name}
          </span>
        ))}
      </p>
      <div class="rows">
        {steps.map((step, i) => (
          <div key={i} class="row">
            <span class="where">
              {step.egress === '' ? step.device : <PortLink name={step.egress} />}
            </span>
            <div class="bars">
              {step.parts.map((part, k) => (
                <i
                  key={k}
                  class={classOf(part.kind)}
                  title={`${partText(part)}: ${formatCount(part.endPs - part.startPs)} ps`}
                  style={{
                    left: share(part.startPs - bornPs),
                    width: share(part.endPs - part.startPs),
                  }}
                />
              ))}
            </div>
          </div>
        ))}
        <div class="row">
          <span />
          <TimeAxis fromPs={0} toPs={endPs - bornPs} />
        </div>
      </div>
      <details>
        <summary>to the picosecond</summary>
        <Parts frame={frame} />
      </details>
    </div>
  );
}

/** To the picosecond: the parts add up to the latency. */
function Parts({ frame }: { readonly frame: FrameView }): JSX.Element {
  const { steps, latencyPs, bornPs } = frame;
  const rows = steps.flatMap((step) => step.parts.map((part) => [step, part] as const));
  const last = steps.at(-1);
  return (
    <div class="scroll texts">
      <table class="parts">
        <thead>
          <tr>
            <th>where</th>
            <th>what</th>
            <th>begins after, ps</th>
            <th>takes, ps</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([step, part], i) => (
            <tr key={i}>
              <td>{placeOf(step)}</td>
              <td>
                <i class={`swatch ${classOf(part.kind)}`} /> {partText(part)} <Cause part={part} />
              </td>
              <td>{formatCount(part.startPs - bornPs)}</td>
              <td>{formatCount(part.endPs - part.startPs)}</td>
            </tr>
          ))}
          <tr class="sum">
            <td />
            <td>{latencyPs === null ? endText(last) : 'release to arrival'}</td>
            <td />
            <td>{latencyPs === null ? '' : formatCount(latencyPs)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

function endText(step: StepView | undefined): string {
  if (step?.end === 'dropped') return `discarded at ${step.device}: ${step.reason}`;
  return 'not arrived at the end of the run';
}

function placeOf({ device, egress }: StepView): string {
  return egress === '' ? device : egress;
}

function Cause({ part }: { readonly part: PartView }): JSX.Element | null {
  const episode = part.hold?.episode ?? null;
  if (episode === null) return null;
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        goToEpisode(episode);
      }}
    >
      why
    </button>
  );
}

/** One bar: where the time of a frame went. */
export function TimeBar({ frame }: { readonly frame: FrameView }): JSX.Element {
  const parts = frame.steps.flatMap((step) => step.parts);
  const sums = PARTS.map(({ kinds }) =>
    parts
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((sum, { startPs, endPs }) => sum + endPs - startPs, 0),
  );
  return (
    <span class="time-bar">
      {sums.map((ps, i) => (
        <i key={i} class={`part${i}`} style={{ flexGrow: ps }} />
      ))}
    </span>
  );
}
