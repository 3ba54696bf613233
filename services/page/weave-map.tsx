import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Theme } from './colours.js';
import { colourOf, heatColour } from './colours.js';
import { BLOCKED_LEAST, openPorts, TipView, worstPort } from './map-tip.js';
import type { MapProps, Tip } from './map-tip.js';
import type { Moment, RunView } from './run-view.js';
import { portNow, worstOf } from './run-view.js';
import type { Cell, Thread, Weave } from './weave-layout.js';
import { layOutWeave, threadAt } from './weave-layout.js';

const WIDTH_MIN = 200;
/** Left of the map, for the names of its rows: no link runs there. */
const GUTTER = 56;
/** Threads are drawn together with others of about the same load. */
const SHADES = 12;

/** A fabric of hundreds of devices, on a canvas: what is hot or blocked stands out. */
export function WeaveMap(props: MapProps): JSX.Element {
  const { view, moment, theme, chosen, choose, marked, ring } = props;
  const { run } = view;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [tip, setTip] = useState<(Tip & { readonly cell: Cell | null }) | null>(null);
  const weave = useMemo(
    () => layOutWeave(run.map, Math.max(WIDTH_MIN, width), (port) => run.ports[port]!.name),
    [run, width],
  );
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      setWidth((width) => (frame.current?.clientWidth ?? width + GUTTER) - GUTTER);
    });
    watch.observe(frame.current!);
    return () => {
      watch.disconnect();
    };
  }, []);
  const pointed = tip?.ports ?? null;
  useLayoutEffect(() => {
    if (width === 0) return;
    const shown = { view, moment, theme, chosen, marked: marked ?? null, ring, pointed };
    new Painter(canvas.current!, weave, Math.max(WIDTH_MIN, width), shown).paint();
  }, [weave, width, view, moment, theme, chosen, marked, ring, pointed]);
  const pointOf = (event: MouseEvent): readonly [number, number] => {
    const { left, top } = canvas.current!.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const cellAt = (event: MouseEvent): Cell | null => {
    const [x, y] = pointOf(event);
    const isAt = (cell: Cell): boolean =>
      x >= cell.x && x <= cell.x + cell.width + 1 && y >= cell.y && y <= cell.y + cell.height + 1;
    return weave.cells.find(isAt) ?? null;
  };
  return (
    <div class="map weave" ref={frame} style={{ paddingLeft: `${GUTTER}px` }}>
      {weave.tiers.map(({ count, name, y }) => (
        <span key={y} class="tier" style={{ top: `${y}px`, width: `${GUTTER - 6}px` }}>
          <b>{count}</b> {name}
        </span>
      ))}
      <canvas
        ref={canvas}
        role="img"
        aria-label="The fabric: links coloured by load, paused ports marked; search finds devices"
        style={{ height: `${weave.height}px` }}
        onMouseMove={(event) => {
          const cell = cellAt(event);
          const { left, top } = frame.current!.getBoundingClientRect();
          const place = { x: event.clientX - left, y: event.clientY - top };
          if (cell !== null) {
            const isPort = cell.ports.length === 1;
            const [port] = cell.ports;
            const name = isPort ? directionOf(view, port!) : cell.name;
            const far = isPort ? otherEnd(view, port!) : null;
            setTip({ title: name, ports: cell.ports, cell, ...(far && { far }), ...place });
            return;
          }
          const thread = threadAt(weave, ...pointOf(event));
          setTip(thread && { ...linkTip(view, thread), cell: null, ...place });
        }}
        onMouseLeave={() => {
          setTip(null);
        }}
        onClick={(event) => {
          const cell = cellAt(event);
          if (cell !== null) openPorts(props, cell.ports);
          const ports = cell === null ? threadAt(weave, ...pointOf(event))?.ports : undefined;
          if (ports !== undefined) choose(worstPort(view, moment, ports));
        }}
      />
      {tip !== null && <TipView tip={tip} view={view} moment={moment} />}
    </div>
  );
}

function directionOf({ run }: RunView, port: number): string {
  const { name, peer } = run.ports[port]!;
  return `${name} → ${peer}`;
}

function otherEnd(view: RunView, port: number): NonNullable<Tip['far']> | null {
  const { ports } = view.run;
  const peer = ports.findIndex(({ name }) => name === ports[port]!.peer);
  return peer < 0 ? null : { title: directionOf(view, peer), ports: [peer] };
}

/** Both directions of a link. */
function linkTip(view: RunView, { ports }: Thread): Pick<Tip, 'title' | 'ports' | 'far'> {
  const [from, to] = ports;
  const far = { title: directionOf(view, to!), ports: [to!] };
  return { title: directionOf(view, from!), ports: [from!], far };
}

interface Shown {
  readonly view: RunView;
  readonly moment: Moment | null;
  readonly theme: Theme;
  readonly chosen: number | null;
  readonly marked: ReadonlySet<number> | null;
  readonly ring: ReadonlySet<number> | undefined;
  readonly pointed: readonly number[] | null;
}

class Painter {
  private readonly context: CanvasRenderingContext2D;
  private readonly blocked = colourOf('--blocked');
  private readonly name = colourOf('--text');
  private readonly queue = colourOf('--queue');

  constructor(
    canvas: HTMLCanvasElement,
    private readonly weave: Weave,
    width: number,
    private readonly shown: Shown,
  ) {
    const scale = devicePixelRatio;
    canvas.width = width * scale;
    canvas.height = weave.height * scale;
    canvas.style.width = `${width}px`;
    this.context = canvas.getContext('2d')!;
    this.context.scale(scale, scale);
  }

  paint(): void {
    this.paintThreads();
    for (const cell of this.weave.cells) this.paintCell(cell);
  }

  /** The idle ones first and faint, those that are blocked last. */
  private paintThreads(): void {
    const { context } = this;
    const { view, moment, theme } = this.shown;
    const shades: Thread[][] = Array.from({ length: SHADES + 1 }, () => []);
    const blocked: [Thread, number][] = [];
    for (const thread of this.weave.threads) {
      const now = worstOf(view, moment, thread.ports);
      shades[Math.ceil(Math.min(1, now.busy) * SHADES)]!.push(thread);
      if (now.blocked >= BLOCKED_LEAST) blocked.push([thread, now.blocked]);
    }
    shades.forEach((threads, shade) => {
      const share = shade / SHADES;
      context.strokeStyle = heatColour(theme, share);
      for (const [some, isFaint] of this.parted(threads)) {
        context.globalAlpha = (0.08 + 0.3 * share * share) * (isFaint ? 0.15 : 1);
        this.stroke(some, 0.6 + 0.9 * share);
      }
    });
    context.strokeStyle = this.blocked;
    for (const [thread, share] of blocked) {
      const isFaint = this.isFaint(thread.ports);
      context.globalAlpha = (0.06 + 0.8 * Math.min(1, share)) * (isFaint ? 0.1 : 1);
      this.stroke([thread], 1.3);
    }
    context.globalAlpha = 1;
    this.paintRing();
    this.paintPointed();
  }

  /** All links of what is pointed at, and that of the chosen port. */
  private paintPointed(): void {
    const { pointed, chosen } = this.shown;
    const wanted = new Set([...(pointed ?? []), ...(chosen === null ? [] : [chosen])]);
    this.context.strokeStyle = colourOf('--chosen');
    this.stroke(
      this.weave.threads.filter(({ ports }) => ports.some((port) => wanted.has(port))),
      1.4,
    );
  }

  /** The links of a cyclic buffer dependency. */
  private paintRing(): void {
    const { ring } = this.shown;
    this.context.strokeStyle = colourOf('--bad');
    this.stroke(
      this.weave.threads.filter(({ ports }) => ports.some((port) => ring?.has(port))),
      3,
    );
  }

  private paintCell(cell: Cell): void {
    const { context } = this;
    const { view, moment, theme, chosen } = this.shown;
    const { x, y, width, height, ports, isHost, name } = cell;
    const { blocked, queueOctets } = worstOf(view, moment, ports);
    const busy = ports.reduce((sum, port) => sum + portNow(view, moment, port).busy, 0);
    context.globalAlpha = this.isFaint(ports) ? 0.25 : 1;
    context.fillStyle = heatColour(theme, busy / ports.length);
    context.fillRect(x, y, width, height);
    if (blocked >= BLOCKED_LEAST) {
      context.fillStyle = this.blocked;
      const tall = isHost ? height : 5;
      context.fillRect(x, y, isHost ? Math.max(2.5, width * 0.4) : width, tall);
    }
    const queue = view.queueMax === 0 ? 0 : Math.min(1, queueOctets / view.queueMax);
    if (!isHost && queue > 0) {
      context.fillStyle = this.queue;
      context.fillRect(x, y + height - 3, width * queue, 3);
    }
    context.globalAlpha = 1;
    if (chosen !== null && ports.includes(chosen)) {
      context.strokeStyle = colourOf('--chosen');
      context.lineWidth = 1.5;
      context.strokeRect(x - 1, y - 1, width + 2, height + 2);
    }
    if (!isHost && width > 40) {
      context.fillStyle = this.name;
      context.font = '10px system-ui, sans-serif';
      context.fillText(name, x + 4, y + 12);
    }
  }

  private stroke(threads: readonly Thread[], width: number): void {
    if (threads.length === 0) return;
    const { context } = this;
    context.lineWidth = width;
    context.beginPath();
    for (const { ax, ay, bx, by } of threads) {
      const middle = ay < by ? (ay + by) / 2 : ay + 30;
      context.moveTo(ax, ay);
      context.bezierCurveTo(ax, middle, bx, middle, bx, by);
    }
    context.stroke();
  }

  private parted(threads: readonly Thread[]): (readonly [readonly Thread[], boolean])[] {
    if (this.shown.marked === null) return [[threads, false]];
    const faint = threads.filter(({ ports }) => this.isFaint(ports));
    return [
      [faint, true],
      [threads.filter(({ ports }) => !this.isFaint(ports)), false],
    ];
  }

  private isFaint(ports: readonly number[]): boolean {
    const { marked } = this.shown;
    return marked !== null && !ports.some((port) => marked.has(port));
  }
}
