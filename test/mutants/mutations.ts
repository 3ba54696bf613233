import { createHash } from 'node:crypto';
import ts from 'typescript';

/** What a hand that slips changes. */
export const KINDS = [
  'comparison',
  'constant',
  'dropped statement',
  'off by one',
  'sign',
  'swapped operands',
] as const;

export type Kind = (typeof KINDS)[number];

/** One edit of a module as it is compiled, which leaves it valid. */
export interface Mutation {
  /** The same as long as neither the line nor its function is changed. */
  readonly id: string;
  readonly kind: Kind;
  /** In the compiled text. */
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

type Edit = Pick<Mutation, 'kind' | 'start' | 'end' | 'to'>;

const { SyntaxKind } = ts;

/** By operator: what it becomes, and of which kind that is. */
const OPERATORS: ReadonlyMap<ts.SyntaxKind, readonly (readonly [to: string, kind: Kind])[]> =
  new Map([
    [SyntaxKind.LessThanToken, both('<=', '>=')],
    [SyntaxKind.LessThanEqualsToken, both('<', '>')],
    [SyntaxKind.GreaterThanToken, both('>=', '<=')],
    [SyntaxKind.GreaterThanEqualsToken, both('>', '<')],
    [SyntaxKind.EqualsEqualsEqualsToken, [['!==', 'comparison']]],
    [SyntaxKind.ExclamationEqualsEqualsToken, [['===', 'comparison']]],
    [SyntaxKind.AmpersandAmpersandToken, [['||', 'comparison']]],
    [SyntaxKind.BarBarToken, [['&&', 'comparison']]],
    [SyntaxKind.PlusToken, [['-', 'sign']]],
    [SyntaxKind.MinusToken, [['+', 'sign']]],
    [SyntaxKind.PlusEqualsToken, [['-=', 'sign']]],
    [SyntaxKind.MinusEqualsToken, [['+=', 'sign']]],
    [SyntaxKind.AsteriskToken, [['/', 'sign']]],
    [SyntaxKind.SlashToken, [['*', 'sign']]],
  ]);

/** Whose operands are worth swapping: the result differs. */
const ORDERED: ReadonlySet<ts.SyntaxKind> = new Set([
  SyntaxKind.MinusToken,
  SyntaxKind.SlashToken,
  SyntaxKind.PercentToken,
  SyntaxKind.LessThanLessThanToken,
]);

function both(limit: string, opposite: string): readonly (readonly [string, Kind])[] {
  return [
    [limit, 'off by one'],
    [opposite, 'comparison'],
  ];
}

/** All defects of one line that a compiled module can have. */
export function mutationsOf(module: string, text: string): Mutation[] {
  const source = ts.createSourceFile(module, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const found: Mutation[] = [];
  const seen = new Map<string, number>();
  const visit = (node: ts.Node, within: string): void => {
    if (isLeftOut(node)) return;
    for (const edit of editsOf(node, source)) {
      const from = text.slice(edit.start, edit.end);
      if (from.includes('\n')) continue;
      const key = [module, within, lineAt(text, edit.start), from, edit.to].join('\n');
      const ordinal = seen.get(key) ?? 0;
      seen.set(key, ordinal + 1);
      found.push({ id: `${module}#${shortHash(`${key}\n${ordinal}`)}`, from, ...edit });
    }
    const inner = nameOf(node) ?? within;
    ts.forEachChild(node, (child) => {
      visit(child, inner);
    });
  };
  visit(source, '');
  return found;
}

export function planted(text: string, { start, end, to }: Mutation): string {
  return text.slice(0, start) + to + text.slice(end);
}

/** An assertion that is weakened changes nothing that a run does, and imports cannot be. */
function isLeftOut(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  return ts.isCallExpression(node) && isAssertion(node.expression);
}

/** Of fields, too: the order of what it is given means nothing. */
const isAssertion = (node: ts.Node): boolean =>
  ts.isIdentifier(node) && /^assert[A-Z]?/.test(node.text);

function nameOf(node: ts.Node): string | undefined {
  const isNaming = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
  return isNaming || ts.isClassDeclaration(node) ? node.name?.getText() : undefined;
}

function editsOf(node: ts.Node, source: ts.SourceFile): Edit[] {
  if (ts.isBinaryExpression(node)) return ofBinary(node, source);
  if (ts.isNumericLiteral(node)) return ofNumber(node, source);
  if (node.kind === SyntaxKind.TrueKeyword) return [whole(node, 'constant', 'false')];
  if (node.kind === SyntaxKind.FalseKeyword) return [whole(node, 'constant', 'true')];
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) return ofUnary(node);
  if (ts.isCallExpression(node)) return ofCall(node, source);
  if (ts.isIfStatement(node)) return ofIf(node, source);
  if (ts.isExpressionStatement(node)) return ofStatement(node);
  return [];
}

function whole(node: ts.Node, kind: Kind, to: string): Edit {
  return { kind, start: node.getStart(), end: node.end, to };
}

function ofBinary(node: ts.BinaryExpression, source: ts.SourceFile): Edit[] {
  const { left, operatorToken, right } = node;
  // A text is joined by the same operator, and would become no number.
  if (isText(left) || isText(right)) return ofEquality(node);
  const edits = (OPERATORS.get(operatorToken.kind) ?? []).map(([to, kind]) =>
    whole(operatorToken, kind, to),
  );
  if (ORDERED.has(operatorToken.kind)) {
    const between = source.text.slice(left.end, right.getStart());
    const to = `${inBrackets(right)}${between}${inBrackets(left)}`;
    edits.push(whole(node, 'swapped operands', to));
  }
  return edits;
}

function ofEquality({ operatorToken }: ts.BinaryExpression): Edit[] {
  if (operatorToken.kind === SyntaxKind.PlusToken) return [];
  const others = OPERATORS.get(operatorToken.kind) ?? [];
  return others.map(([to, kind]) => whole(operatorToken, kind, to));
}

function isText(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true;
  return ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right));
}

function inBrackets(node: ts.Expression): string {
  const text = node.getText();
  return ts.isBinaryExpression(node) || ts.isConditionalExpression(node) ? `(${text})` : text;
}

/** One more; and nothing, or one in place of nothing. */
function ofNumber(node: ts.NumericLiteral, source: ts.SourceFile): Edit[] {
  const text = node.getText(source);
  if (text.endsWith('n')) return [];
  const value = Number(text.replaceAll('_', ''));
  const edits = [whole(node, 'constant', value === 0 ? '1' : '0')];
  if (value !== 0 && Number.isInteger(value) && value < 1e15) {
    edits.push(whole(node, 'off by one', String(value + 1)));
    if (value !== 1) edits.push(whole(node, 'off by one', String(value - 1)));
  }
  return edits;
}

function ofUnary(node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): Edit[] {
  const { operand, operator } = node;
  const text = operand.getText();
  const isPrefix = ts.isPrefixUnaryExpression(node);
  switch (operator) {
    case SyntaxKind.PlusPlusToken:
      return [whole(node, 'sign', isPrefix ? `--${text}` : `${text}--`)];
    case SyntaxKind.MinusMinusToken:
      return [whole(node, 'sign', isPrefix ? `++${text}` : `${text}++`)];
    case SyntaxKind.MinusToken:
      return [whole(node, 'sign', text)];
    case SyntaxKind.ExclamationToken:
      return [whole(node, 'comparison', `!!${text}`)];
    default:
      return [];
  }
}

/** Neighbours of which each is a name, and `min` for `max`. */
function ofCall(
  { expression, arguments: given }: ts.CallExpression,
  source: ts.SourceFile,
): Edit[] {
  const edits: Edit[] = [];
  const name = expression.getText(source);
  if (name === 'Math.min') edits.push(whole(expression, 'comparison', 'Math.max'));
  if (name === 'Math.max') edits.push(whole(expression, 'comparison', 'Math.min'));
  if (name.startsWith('Math.m')) return edits;
  for (let i = 0; i + 1 < given.length; i++) {
    const [a, b] = [given[i]!, given[i + 1]!];
    if (!ts.isIdentifier(a) || !ts.isIdentifier(b) || a.text === b.text) continue;
    const to = `${b.text}, ${a.text}`;
    edits.push({ kind: 'swapped operands', start: a.getStart(), end: b.end, to });
  }
  return edits;
}

function ofIf(node: ts.IfStatement, source: ts.SourceFile): Edit[] {
  const condition = node.expression;
  const edits = [whole(condition, 'comparison', `!(${condition.getText(source)})`)];
  const isGuard = node.elseStatement === undefined && !ts.isBlock(node.thenStatement);
  if (isGuard) edits.push(whole(node, 'dropped statement', ';'));
  return edits;
}

function ofStatement(node: ts.ExpressionStatement): Edit[] {
  const { expression } = node;
  if (ts.isStringLiteral(expression)) return [];
  const called = ts.isCallExpression(expression) ? expression.expression : null;
  if (called !== null && (called.kind === SyntaxKind.SuperKeyword || isAssertion(called))) {
    return [];
  }
  return [whole(node, 'dropped statement', ';')];
}

export function lineAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return text.slice(start, end < 0 ? text.length : end).trim();
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
