import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount, formatTime as time } from '../report/format.js';
import type { RunPage, TreeNode, TreesView, TreeView } from '../report/page/page-data.js';
import { blockedText } from '../report/blocked-text.js';
import { goTo, useAddress } from './address.js';
import { FlowLink } from './flows/flow-link.js';
import { PortLink } from './flows/port-link.js';
import { Card, counted, titleOf } from './panels.js';
import type { PlacedNode } from './tree-layout.js';
import { BOX, INDENT, layOutTree, portsOf } from './tree-layout.js';
import { NARROW, useMedia } from './use-media.js';

const STORMS_SHOWN = 10;
const VICTIMS_SHOWN = 6;
const CULPRITS_SHOWN = 4;
/** A wide tree is drawn smaller, as far as it stays legible. */
const SCALE_LEAST = 0.8;
const LINK_WIDTH = { least: 1.5, most: 11 };

interface TreeCardProps {
  readonly run: RunPage;
  /** Its name, where there are several. */
  readonly of?: string;
  /** Its place among them. */
  readonly index?: number;
  readonly choose: (port: number) => void;
  /** The run goes on. */
  readonly isLive?: boolean;
  /** Shows ports in the fabric; null: all alike. */
  readonly mark: (ports: ReadonlySet<number> | null) => void;
}

/** what blocked the run, as trees from the root to the senders. */
export function TreeCard(props: TreeCardProps): JSX.Element {
  const { run, of, index = 0, choose, mark } = props;
  const { trees } = run;
  const title = titleOf('Congestion trees', of);
  const places = useAddress().tree ?? [];
  const [isMarked, setMarked] = useState(false);
  if (trees === null) return <NotObserved of={props} title={title} />;
  // While a run goes on, its trees come and go.
  const place = places[index] ?? 0;
  const chosen = trees.trees[place] === undefined ? 0 : place;
  const tree = trees.trees[chosen];
  const show = (next: number, marked: boolean): void => {
    const all = Array.from(
      { length: Math.max(places.length, index + 1) },
      (_, i) => places[i] ?? 0,
    );
    goTo({ tree: all.with(index, next) });
    setMarked(marked);
    mark(marked ? portsOf(trees.trees[next]!.root) : null);
  };
  const count = counted(trees.trees.length + trees.omitted, 'tree');
  const note = `${count} of ${counted(trees.episodes, 'episode')}, the worst first`;
  return (
    <Card {...{ title, note }} wide>
      <Alarms trees={trees} />
      {tree === undefined ? (
        <p class="none">no congestion</p>
      ) : (
        <div class="trees">
          {trees.trees.length > 1 && (
            <ol class="roots">
              {trees.trees.map((one, i) => (
                <li key={i}>
                  <button
                    type="button"
                    class={i === chosen ? 'root on' : 'root'}
                    title={`${time(one.frameTimePs)} of aggregate blocked time: frames x time`}
                    onClick={() => {
                      show(i, isMarked);
                    }}
                  >
                    <b>{placeText(one.root)}</b>
                    <small>{time(one.frameTimePs)} summed over frames</small>
                    <i style={{ width: `${shareOf(one, trees.trees[0]!)}%` }} />
                  </button>
                </li>
              ))}
              {trees.omitted > 0 && <li class="faint">and {formatCount(trees.omitted)} smaller</li>}
            </ol>
          )}
          <div class="tree">
            <Facts tree={tree} isLive={props.isLive ?? false} />
            <label class="check">
              <input
                type="checkbox"
                checked={isMarked}
                onChange={(event) => {
                  show(chosen, event.currentTarget.checked);
                }}
              />
              show its ports in the fabric
            </label>
            <TreeDrawing key={chosen} root={tree.root} choose={choose} />
          </div>
        </div>
      )}
    </Card>
  );
}

function NotObserved(props: { readonly of: TreeCardProps; readonly title: string }): JSX.Element {
  const { of: name, run, isLive = false } = props.of;
  const command = name === undefined ? 'report <run>' : 'compare <run…>';
  return (
    <Card title={props.title} wide>
      <p class="none">
        {isLive ? 'No congestion is known yet. ' : 'Congestion was not observed. '}
        <code>observe: {'{ episodes: true }'}</code> in the scenario, or{' '}
        <code>--set observe.episodes=true</code>, records congestion with its causes
        {isLive ? (
          ': shown here while the run goes on, and in its report.'
        ) : (
          <>
            ; <code>selvage {command} --why</code> repeats {run.title} to see it.
          </>
        )}
      </p>
    </Card>
  );
}

function Alarms({ trees: { deadlocks, storms } }: { readonly trees: TreesView }): JSX.Element {
  return (
    <>
      {deadlocks.map(({ closedPs, openedPs, ring }, i) => (
        <p key={i} class="alarm">
          <b>
            Cyclic buffer dependency closed at{' '}
            <span title={`${formatCount(closedPs)} ps`}>{time(closedPs)}</span>
          </b>
          {openedPs === null ? ', not resolved: ' : `, resolved at ${time(openedPs)}: `}
          {[...ring, ring[0]!].map(({ egress }) => egress).join(' waits for ')}
        </p>
      ))}
      {storms.length > 0 && (
        <p class="alarm">
          <b>{counted(storms.length, 'storm')}:</b>{' '}
          {alike(storms.slice(0, STORMS_SHOWN)).map(([text, ports], i) => (
            <span key={text}>
              {i > 0 && '; '}
              {ports.map((port, k) => (
                <span key={port}>
                  {k > 0 && ', '}
                  <PortLink name={port} />
                </span>
              ))}{' '}
              {text}
            </span>
          ))}
          {storms.length > STORMS_SHOWN && ` and ${storms.length - STORMS_SHOWN} more`}
        </p>
      )}
    </>
  );
}

/** Ports of storms that have the same priority and times, with the words for it. */
function alike(storms: TreesView['storms']): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const storm of storms) {
    const text = stormText(storm);
    groups.set(text, [...(groups.get(text) ?? []), storm.port]);
  }
  return [...groups];
}

function stormText({ priority, startPs, endPs }: TreesView['storms'][number]): string {
  const what = priority === null ? '' : `priority ${priority} `;
  return `${what}paused from ${time(startPs)} ${endPs === null ? 'on' : `to ${time(endPs)}`}`;
}

/** Flows that fill its root. */
function Culprits(props: {
  readonly tree: TreeView;
  readonly isLive: boolean;
}): JSX.Element | null {
  const { tree, isLive } = props;
  const { culprits, culpritCount } = tree;
  if (culprits.length === 0) return null;
  const rest = (culpritCount ?? Infinity) - CULPRITS_SHOWN;
  return (
    <>
      Filled by {culpritCount === null ? 'many flows' : counted(culpritCount, 'flow')}:{' '}
      {culprits.slice(0, CULPRITS_SHOWN).map(({ flow, share }, i) => (
        <span key={flow}>
          {i > 0 && ', '}
          {isLive ? flow : <FlowLink name={flow} />} {Math.round(100 * share)} %
        </span>
      ))}
      {rest > 0 && (rest === Infinity ? ' and others' : ` and ${formatCount(rest)} more`)}.
    </>
  );
}

function Facts(props: {
  readonly tree: TreeView;
  /** Flows have a view of their own in the report. */
  readonly isLive: boolean;
}): JSX.Element {
  const { tree, isLive } = props;
  const { reason, root, startPs, clearedPs, ports, devices, depth, victims, victimCount } = tree;
  const until = clearedPs === null ? 'not cleared' : `cleared at ${time(clearedPs)}`;
  return (
    <p class="facts">
      <b>
        {placeText(root)}: {reason}
      </b>
      <br />
      from {time(startPs)}, {until}; {counted(ports, 'port')} of {counted(devices, 'device')},{' '}
      {counted(depth, 'link')} deep. <Culprits tree={tree} isLive={isLive} />{' '}
      {victimCount === 0 ? (
        'No victim flows.'
      ) : (
        <>
          {counted(victimCount, 'victim flow')}:{' '}
          {isLive
            ? victims.slice(0, VICTIMS_SHOWN).join(', ')
            : victims.slice(0, VICTIMS_SHOWN).map((name) => <FlowLink key={name} name={name} />)}
          {victimCount > VICTIMS_SHOWN && ` and ${formatCount(victimCount - VICTIMS_SHOWN)} more`}
        </>
      )}
    </p>
  );
}

function TreeDrawing(props: {
  readonly root: TreeNode;
  readonly choose: (port: number) => void;
}): JSX.Element {
  const { root, choose } = props;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const isNarrow = useMedia(NARROW);
  const { nodes, width, height } = useMemo(
    () => layOutTree(root, toggled, isNarrow ? 'list' : 'columns'),
    [root, toggled, isNarrow],
  );
  const heaviest = Math.max(1, nodes[0]?.weight ?? 1);
  const toggle = (key: string): void => {
    const next = new Set(toggled);
    if (!next.delete(key)) next.add(key);
    setToggled(next);
  };
  const drawing = useRef<HTMLDivElement>(null);
  // A tall tree is shown from where its root is.
  useLayoutEffect(() => {
    const { clientHeight } = drawing.current!;
    const middle = (nodes[0]?.y ?? 0) + (BOX.height - clientHeight) / 2;
    drawing.current!.scrollTop = isNarrow ? 0 : middle;
  }, [isNarrow]);
  return (
    <div class="drawing" ref={drawing}>
      <svg
        width={width + 40}
        style={{ minWidth: `${SCALE_LEAST * (width + 40)}px` }}
        viewBox={`-4 -4 ${width + 40} ${height + 6}`}
        role="img"
        aria-label="A tree of congestion, from its root to the senders that it blocked"
      >
        {nodes.map((node) => (
          <Link key={`to ${node.key}`} {...{ node, heaviest, isNarrow }} />
        ))}
        {nodes.map((node) => (
          <Place key={node.key} placed={node} choose={choose} toggle={toggle} />
        ))}
      </svg>
    </div>
  );
}

function Link(props: {
  readonly node: PlacedNode;
  readonly heaviest: number;
  readonly isNarrow: boolean;
}): JSX.Element | null {
  const { node, heaviest, isNarrow } = props;
  const { parent, x, y, weight } = node;
  if (parent === null) return null;
  const [fromX, fromY, toY] = [parent.x + BOX.width, parent.y + BOX.height / 2, y + BOX.height / 2];
  const middle = (fromX + x) / 2;
  const share = Math.sqrt(weight / heaviest);
  return (
    <path
      class={`branch ${node.node.kind}`}
      d={
        isNarrow
          ? `M${parent.x + INDENT / 2} ${parent.y + BOX.height}V${toY}H${x}`
          : `M${fromX} ${fromY}C${middle} ${fromY} ${middle} ${toY} ${x} ${toY}`
      }
      stroke-width={LINK_WIDTH.least + (LINK_WIDTH.most - LINK_WIDTH.least) * share}
    />
  );
}

function Place(props: {
  readonly placed: PlacedNode;
  readonly choose: (port: number) => void;
  readonly toggle: (key: string) => void;
}): JSX.Element {
  const { placed, choose, toggle } = props;
  const { key, node, requester, x, y, hidden, isOpen } = placed;
  const canOpen = node.children.length > 0;
  const pick = (): void => {
    if (node.port !== null) choose(node.port);
  };
  return (
    <g transform={`translate(${x} ${y})`}>
      <g
        class={`place ${node.kind}`}
        role="button"
        tabindex={0}
        aria-label={`${placeText(node)}, ${whatText(node)}`}
        onClick={pick}
        onKeyDown={(event) => {
          if (event.key === 'Enter') pick();
        }}
      >
        <title>
          {[node, ...(requester === null ? [] : [requester])].map(detailText).join('\n')}
        </title>
        <rect width={BOX.width} height={BOX.height} rx="7" />
        <rect class="stripe" width="5" height={BOX.height} rx="2.5" />
        <text x="14" y="17">
          {placeText(node)}
        </text>
        <text class="what" x="14" y="32">
          {whatText(node)}
        </text>
        <text class="what" x="14" y="46">
          {requester === null ? shortLostText(node) : `${requester.name} was full`}
        </text>
      </g>
      {(canOpen || hidden > 0) && (
        <g
          class="knob"
          role="button"
          tabindex={0}
          aria-label={isOpen ? `less of ${node.name}` : `more of ${node.name}`}
          transform={`translate(${BOX.width} ${BOX.height / 2})`}
          onClick={() => {
            toggle(isOpen && hidden > node.omitted ? `${key} more` : key);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') toggle(key);
          }}
        >
          <circle r="9" />
          <text dy=".34em">{hidden > 0 ? `+${hidden > 99 ? '…' : hidden}` : '−'}</text>
        </g>
      )}
    </g>
  );
}

function placeText({ name, priority }: TreeNode): string {
  return priority === null ? name : `${name} priority ${priority}`;
}

function whatText({ kind, mechanism, times, totalPs }: TreeNode): string {
  const what = { queue: 'queue', full: 'full', blocked: blockedText(mechanism) }[kind];
  const often = times === 1 ? '' : `, ${formatCount(times)}×`;
  return `${what}${often}${totalPs === null ? '' : `, ${time(totalPs)}`}`;
}

function lostText({ frameTimePs }: TreeNode): string {
  return frameTimePs > 0 ? `${time(frameTimePs)} of aggregate blocked time` : '';
}

/** As much as a box has room for; its title has the whole. */
function shortLostText({ frameTimePs }: TreeNode): string {
  return frameTimePs > 0 ? `${time(frameTimePs)} summed over frames` : '';
}

function detailText(node: TreeNode): string {
  const lost = lostText(node);
  return `${placeText(node)}: ${whatText(node)}${lost === '' ? '' : `, ${lost}`}`;
}

function shareOf(tree: TreeView, worst: TreeView): number {
  return worst.frameTimePs === 0 ? 0 : (100 * tree.frameTimePs) / worst.frameTimePs;
}
