import tseslint from 'typescript-eslint';

// What would make the engine impure: anything that knows the wall clock, the process or chance.
const impureGlobals = [
  'Date',
  'performance',
  'process',
  'console',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'fetch',
  'crypto',
  'Buffer',
  'globalThis',
  'Promise',
].map((name) => ({ name, message: 'The engine is pure: no clock, I/O, process or promise.' }));

export default tseslint.config(
  { ignores: ['dist/', 'runs/', 'node_modules/', 'proto/generated/'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-empty-function': ['error', { allow: ['methods'] }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // An index that counts is plainer than an iterator, and faster.
      '@typescript-eslint/prefer-for-of': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' },
      ],
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['services/engine/**/*.ts', 'services/mechanisms/**/*.ts'],
    rules: {
      // The engine is compiled without unchecked-index types; a guard against a hole is not idle.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // Tables are made by factories whose type is what they return.
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Use a named stream of kernel/random.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: ':function[async=true], AwaitExpression, ForOfStatement[await=true]',
          message: 'The engine is synchronous.',
        },
        { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // node:test's describe and it return promises that the runner itself awaits.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', name: ['it', 'describe', 'test'], package: 'node:test' },
          ],
        },
      ],
    },
  },
);
