import type { TreeNode } from '../report/page/page-data.js';

export const BOX = { width: 208, height: 55 };
const COLUMN = 244;
const ROW = 66;
/** Of a level where the tree is a list. */
export const INDENT = 20;
/** Levels and children that are open before the first click, unless that is too much. */
const OPEN_LEVELS = 4;
const OPEN_CHILDREN = 5;
const OPEN_ROWS = 16;

/** A place of a tree where it is drawn. */
export interface PlacedNode {
  /** Tells it from all others of its tree. */
  readonly key: string;
  readonly node: TreeNode;
  /** The account that requested it, where it caused nothing else; null: it stands alone. */
  readonly requester: TreeNode | null;
  readonly x: number;
  readonly y: number;
  /** Frame-time of it and all behind it: how thick its branch is. */
  readonly weight: number;
  readonly parent: PlacedNode | null;
  /** What it caused that is not drawn. */
  readonly hidden: number;
  readonly isOpen: boolean;
}

interface PlacedTree {
  readonly nodes: readonly PlacedNode[];
  readonly width: number;
  readonly height: number;
}

/**
 * From the root on the left to what followed from it, or as an indented list from the root on top;
 * `toggled` are not as they are at first.
 */
export function layOutTree(
  root: TreeNode,
  toggled: ReadonlySet<string>,
  shape: 'columns' | 'list',
): PlacedTree {
  const column = shape === 'list' ? INDENT : COLUMN;
  const nodes: PlacedNode[] = [];
  const openLevels = openLevelsOf(root);
  let rows = 0;
  let depth = 0;
  const place = (given: TreeNode, key: string, level: number): { y: number; at: number } => {
    const node = holdOf(given);
    const requester = node === given ? null : given;
    depth = Math.max(depth, level);
    const { children, omitted } = node;
    const wasOpen = level < openLevels;
    const isOpen = children.length > 0 && wasOpen !== toggled.has(key);
    const most = toggled.has(`${key} more`) ? Infinity : OPEN_CHILDREN;
    const shown = isOpen ? children.slice(0, most) : [];
    const at = nodes.length;
    nodes.push(undefined as never);
    const listY = shape === 'list' ? rows++ * ROW : null;
    const below = shown.map((child, i) => place(child, `${key}.${i}`, level + 1));
    const [first, last] = [below[0], below.at(-1)];
    const y = listY ?? (first === undefined ? rows++ * ROW : (first.y + last!.y) / 2);
    const hidden = children.length - shown.length + omitted;
    const drawn = {
      key,
      node,
      requester,
      x: level * column,
      y,
      weight: weightOf(node),
      hidden,
      isOpen,
    };
    nodes[at] = { ...drawn, parent: null };
    for (const child of below) nodes[child.at] = { ...nodes[child.at]!, parent: nodes[at] };
    return { y, at };
  };
  place(root, '0', 0);
  return { nodes, width: depth * column + BOX.width, height: Math.max(1, rows) * ROW };
}

function openLevelsOf(root: TreeNode): number {
  let levels = OPEN_LEVELS;
  while (levels > 1 && rowsOf(root, levels) > OPEN_ROWS) levels--;
  return levels;
}

function rowsOf(given: TreeNode, openLevels: number): number {
  const { children } = holdOf(given);
  if (openLevels === 0 || children.length === 0) return 1;
  const shown = children.slice(0, OPEN_CHILDREN);
  return shown.reduce((sum, child) => sum + rowsOf(child, openLevels - 1), 0);
}

/** An account that is full and the port that it holds are one step. */
function holdOf(node: TreeNode): TreeNode {
  const [only, ...others] = node.children;
  const isStep = node.kind === 'full' && only?.kind === 'blocked';
  return isStep && others.length === 0 && node.omitted === 0 ? only : node;
}

function weightOf({ frameTimePs, children }: TreeNode): number {
  return children.reduce((sum, child) => sum + weightOf(child), frameTimePs);
}

/** All ports of a tree. */
export function portsOf({ port, children }: TreeNode, found = new Set<number>()): Set<number> {
  if (port !== null) found.add(port);
  for (const child of children) portsOf(child, found);
  return found;
}
