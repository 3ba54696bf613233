import type { JSX } from 'preact';
import type { RunPage, SharesView } from '../report/page/page-data.js';
import type { Theme } from './colours.js';
import { SERIES_COLOURS } from './colours.js';
import { Card, titleOf } from './panels.js';

const PORTS_SHOWN = 6;

/** What classes were to get of a port, and above it what they got. */
export function SharesCard(props: {
  readonly run: RunPage;
  /** Its name, where there are several. */
  readonly of?: string;
  readonly theme: Theme;
  readonly choose: (port: number) => void;
}): JSX.Element | null {
  const { run, of, theme, choose } = props;
  if (run.shares.length === 0) return null;
  return (
    <Card
      title={titleOf('Shares of traffic classes', of)}
      note="sent above, configured below; busiest ports first"
    >
      {run.shares.slice(0, PORTS_SHOWN).map((view) => (
        <div key={view.port} class="shares">
          <button
            type="button"
            class="link"
            onClick={() => {
              choose(view.port);
            }}
          >
            {run.ports[view.port]!.name}
          </button>
          <div>
            <Bar view={view} theme={theme} what="got" />
            <Bar view={view} theme={theme} what="wanted" />
            <small class="faint">{strictText(view)}</small>
          </div>
        </div>
      ))}
    </Card>
  );
}

function Bar(props: {
  readonly view: SharesView;
  readonly theme: Theme;
  readonly what: 'got' | 'wanted';
}): JSX.Element {
  const { view, theme, what } = props;
  const colours = SERIES_COLOURS[theme];
  return (
    <div class={`stack ${what}`}>
      {view.classes
        .filter(({ wanted }) => wanted !== null)
        .map((one) => {
          const value = one[what]!;
          const verb = what === 'got' ? 'sent' : 'is to get';
          const name = `class ${one.trafficClass} (priority ${one.priorities.join(', ')})`;
          const title = `${name} ${verb} ${value.toFixed(1)} %`;
          return (
            <i
              key={one.trafficClass}
              title={title}
              style={{ flexGrow: value, background: colours[one.trafficClass] }}
            >
              {value >= 7 ? `TC${one.trafficClass} ${value.toFixed(1)} %` : ''}
            </i>
          );
        })}
    </div>
  );
}

function strictText({ classes }: SharesView): string {
  const strict = classes.filter(({ wanted }) => wanted === null);
  return strict
    .map(({ trafficClass, got }) => `strict TC${trafficClass} took ${got.toFixed(1)} % before them`)
    .join('; ');
}
