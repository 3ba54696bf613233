import { createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import type { FaultLook } from '../fabric/faults/fault-look.js';
import type { FaultView } from '../report/page/page-data.js';
import type { Moment } from './run-view.js';

/** Faults of the run that is shown, for all that has an axis of time. */
export const Faults = createContext<readonly FaultView[]>([]);

/** When each fault was active, behind what lies over time; one that always was tells nothing. */
export function FaultBands(props: {
  readonly fromPs: number;
  readonly toPs: number;
  readonly isAll?: boolean;
}): JSX.Element {
  const { fromPs, toPs, isAll = false } = props;
  const faults = useContext(Faults);
  const share = (ps: number): number =>
    Math.max(0, Math.min(1, (ps - fromPs) / (toPs - fromPs || 1)));
  return (
    <>
      {faults.flatMap(({ name, kind, spells, text, look }) =>
        spells
          .filter(([begin, end]) => begin < toPs && (end ?? toPs) > fromPs)
          .filter(([begin, end]) => isAll || begin > fromPs || (end ?? toPs) < toPs)
          .map(([begin, end]) => {
            const left = share(begin);
            const width = share(end ?? toPs) - left;
            return (
              <i
                key={`${name} ${begin}`}
                class={`fault-band ${look}`}
                title={`fault ${name} (${kind}): ${text}`}
                style={{ left: `${100 * left}%`, width: `max(2px, ${100 * width}%)` }}
              />
            );
          }),
      )}
    </>
  );
}

/** A lane for each fault: its name, and when it was active. */
export function FaultLanes(props: {
  readonly fromPs: number;
  readonly toPs: number;
}): JSX.Element | null {
  const faults = useContext(Faults);
  if (faults.length === 0) return null;
  return (
    <div class="port-tracks">
      <p class="facts">
        <b>Faults</b>
      </p>
      {faults.map((fault) => (
        <div key={fault.name} class="port-track" title={fault.text}>
          <span class="where">
            {fault.name} <small class="faint">{fault.kind}</small>
          </span>
          <div class="bars fault-lane">
            <Faults.Provider value={[fault]}>
              <FaultBands {...props} isAll />
            </Faults.Provider>
          </div>
        </div>
      ))}
    </div>
  );
}

/** Most telling first. */
const LOOKS: readonly FaultLook[] = ['down', 'slow', 'lossy', 'device'];

/** By port: how it looks at a moment with the faults that are active then; null: ever. */
export function looksAt(
  faults: readonly FaultView[],
  moment: Moment | null,
): ReadonlyMap<number, FaultLook> {
  const looks = new Map<number, FaultLook>();
  const isActive = ({ spells }: FaultView): boolean =>
    moment === null ||
    spells.some(([begin, end]) => begin <= moment.timePs && (end ?? Infinity) > moment.timePs);
  for (const fault of faults.filter(isActive)) {
    for (const port of fault.ports) {
      const known = looks.get(port);
      const isMore = known === undefined || LOOKS.indexOf(fault.look) < LOOKS.indexOf(known);
      if (isMore) looks.set(port, fault.look);
    }
  }
  return looks;
}
