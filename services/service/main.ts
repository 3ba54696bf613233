import { serve } from './serve.js';

// A service process: reads its environment, builds its part of the fabric, runs it.

const EXIT_FAILED = 3;

function fail(error: Error): never {
  process.stderr.write(`service ${process.env['SELVAGE_SERVICE'] ?? '?'}: ${error.message}\n`);
  process.exit(EXIT_FAILED);
}

process.on('unhandledRejection', (error) => fail(error as Error));
process.on('uncaughtException', fail);

try {
  await serve(process.env, fail);
} catch (error) {
  fail(error as Error);
}
