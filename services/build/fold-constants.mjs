// Writes the numbers behind the constants of the engine and the mechanisms to where they are used,
// in dist/services/engine and dist/services/mechanisms (or another folder of compiled modules), and
// binds the functions and tables that their modules share.
//
// V8 takes what a module exports for a variable, even a `const`: each use is a load and checks of
// whether it has a value, whether that is a small integer, and whether the sum overflows. The
// fields of records are such constants, so a frame costs a third more without this. What is folded
// is marked, as in `0 /* NEXT */`, and folded anew when anything was compiled. An exported function
// is looked up for each call, too, unless the module that calls it has it in a constant of its own,
// as in `const $ahead = ahead;`. An assertion becomes a condition with a call behind it, since a
// call that is inlined for each of them uses up what V8 inlines of the event loop.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNewer } from './is-newer.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const services = join(root, 'dist', 'services');
const folders =
  process.argv.length > 2
    ? [resolve(process.argv[2])]
    : [join(services, 'engine'), join(services, 'mechanisms')];
const stamp = join(folders[0], 'folded');
const FOLDED = /\(-\d[\d.e+-]* \/\* ([A-Z]\w*) \*\/\)|\d[\d.e+-]* \/\* ([A-Z]\w*) \*\//g;
const CONSTANT_NAME = /^[A-Z][A-Z0-9_]*$/;
const BINDINGS = /^(?:const \$\w+ = \w+;[ \n])+/gm;
const ASSERT_MODULE = '/kernel/assert.js';
const BOUND = /\$(?=[A-Za-z_]\w*)/g;

const paths = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(folder, path)),
);

if (!isNewer(stamp, [...paths, fileURLToPath(import.meta.url)])) {
  // Loaded only when there is something to do: every start comes by here.
  const { default: ts } = await import('typescript');
  const modules = new Map(paths.map((path) => [path, parse(ts, path)]));
  for (const module of modules.values()) fold(ts, modules, module);
  writeFileSync(stamp, '');
}

/**
 * A module with its constants, by name: an expression, or where it is imported from; and the
 * functions that it exports.
 */
function parse(ts, path) {
  const written = readFileSync(path, 'utf8');
  const text = written.replace(FOLDED, '$1$2').replace(BINDINGS, '').replace(BOUND, '');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const constants = new Map();
  const functions = new Set();
  let start = 0;
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      start = statement.end + 1;
      const from = resolve(dirname(path), statement.moduleSpecifier.text);
      const named = statement.importClause?.namedBindings;
      for (const { name, propertyName } of named?.elements ?? []) {
        constants.set(name.text, { from, name: (propertyName ?? name).text });
      }
    } else if (ts.isVariableStatement(statement)) {
      if ((statement.declarationList.flags & ts.NodeFlags.Const) === 0) continue;
      for (const { name, initializer } of statement.declarationList.declarations) {
        if (ts.isIdentifier(name)) constants.set(name.text, { initializer });
      }
    } else if (ts.isFunctionDeclaration(statement) && statement.modifiers !== undefined) {
      functions.add(statement.name.text);
    }
  }
  return { path, written, text, source, start, constants, functions };
}

function fold(ts, modules, module) {
  let { text } = module;
  const shared = sharedBy(ts, modules, module);
  const bound = new Set();
  const edits = [];
  for (const identifier of uses(ts, module.source, shared)) {
    const name = identifier.text;
    if (isAssertion(ts, module, identifier)) {
      const { parent } = identifier;
      const [condition, code] = parent.arguments;
      bound.add(name);
      edits.push({ from: parent.getStart(), to: condition.getStart(), text: 'if (!(' });
      edits.push({ from: condition.end, to: code.getStart(), text: `)) $${name}(false, ` });
      continue;
    }
    const value = valueOf(ts, modules, module, name);
    if (value === undefined && !shared.has(name)) continue;
    if (value === undefined) bound.add(name);
    const number = value < 0 ? `(${value} /* ${name} */)` : `${value} /* ${name} */`;
    const constant = value === undefined ? `$${name}` : number;
    const isShorthand = ts.isShorthandPropertyAssignment(identifier.parent);
    const written = isShorthand ? `${name}: ${constant}` : constant;
    edits.push({ from: identifier.getStart(), to: identifier.end, text: written });
  }
  for (const edit of edits.sort((a, b) => b.from - a.from)) {
    text = text.slice(0, edit.from) + edit.text + text.slice(edit.to);
  }
  // On the line of what follows: source maps keep their lines.
  const bindings = [...bound].sort().map((name) => `const $${name} = ${name}; `);
  text = text.slice(0, module.start) + bindings.join('') + text.slice(module.start);
  if (text !== module.written) writeFileSync(module.path, text);
}

/** It calls `assert`, and the condition still stands in the call. */
function isAssertion(ts, { constants }, identifier) {
  const { parent } = identifier;
  const isCall = ts.isCallExpression(parent) && parent.expression === identifier;
  if (!isCall || !ts.isExpressionStatement(parent.parent) || parent.arguments.length !== 2) {
    return false;
  }
  const isImported = constants.get(identifier.text)?.from?.endsWith(ASSERT_MODULE) === true;
  return isImported && parent.arguments[0].kind !== ts.SyntaxKind.FalseKeyword;
}

/** Names of functions and tables that a module has from others, or exports and uses itself. */
function sharedBy(ts, modules, { source, constants, functions }) {
  const names = new Set(functions);
  for (const [name, { from, name: exported }] of constants) {
    const other = modules.get(from);
    if (other?.functions.has(exported) || other?.constants.get(exported)?.initializer) {
      names.add(name);
    }
  }
  const visit = (node) => {
    if (ts.isIdentifier(node) && isHidden(ts, node)) names.delete(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** Identifiers that look like constants or are shared, where they stand for their value. */
function uses(ts, source, shared) {
  const found = [];
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isIdentifier(node) && (CONSTANT_NAME.test(node.text) || shared.has(node.text))) {
      if (CONSTANT_NAME.test(node.text) && isHidden(ts, node)) {
        throw new Error(`${source.fileName} hides ${node.text}`);
      }
      if (!isName(ts, node)) found.push(node);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** It names a property, or what is declared here. */
function isName(ts, node) {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent)) return false;
  return parent.name === node || (ts.isBindingElement(parent) && parent.propertyName === node);
}

/** What is declared within a function would be taken for what the module calls by its name. */
function isHidden(ts, node) {
  const { parent } = node;
  if (parent.name !== node) return false;
  if (ts.isVariableDeclaration(parent)) return !ts.isSourceFile(parent.parent.parent.parent);
  if (ts.isFunctionDeclaration(parent)) return !ts.isSourceFile(parent.parent);
  return ts.isParameter(parent) || ts.isBindingElement(parent) || ts.isFunctionExpression(parent);
}

/** Undefined unless it is a constant number. */
function valueOf(ts, modules, module, name) {
  const constant = module?.constants.get(name);
  if (constant === undefined) return undefined;
  if (constant.from !== undefined) {
    return valueOf(ts, modules, modules.get(constant.from), constant.name);
  }
  constant.value ??= evaluate(ts, constant.initializer, (other) =>
    valueOf(ts, modules, module, other),
  );
  return Number.isFinite(constant.value) ? constant.value : undefined;
}

/** NaN unless the expression is made of numbers and constants. */
function evaluate(ts, node, constant) {
  const { SyntaxKind } = ts;
  const of = (operand) => evaluate(ts, operand, constant);
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isParenthesizedExpression(node)) return of(node.expression);
  if (ts.isIdentifier(node)) return constant(node.text) ?? NaN;
  if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.MinusToken) {
    return -of(node.operand);
  }
  if (!ts.isBinaryExpression(node)) return NaN;
  const [a, b] = [of(node.left), of(node.right)];
  // A bitwise operator would make a number of what is none.
  if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
  switch (node.operatorToken.kind) {
    case SyntaxKind.PlusToken:
      return a + b;
    case SyntaxKind.MinusToken:
      return a - b;
    case SyntaxKind.AsteriskToken:
      return a * b;
    case SyntaxKind.LessThanLessThanToken:
      return a << b;
    case SyntaxKind.BarToken:
      return a | b;
    default:
      return NaN;
  }
}
