import { Command } from 'commander';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { wrongsIn } from './judge.js';
import { CAUSE_NAMES, METHODS, worldOf } from './worlds.js';

// `npm run causes` prints how often the cause that was put into a world is the first that is named.

const SEED = 7;

interface Options {
  readonly rounds: string;
  readonly mechanism?: string;
  readonly cause?: string;
  readonly show?: true;
}

function score({ rounds, mechanism, cause, show }: Options): void {
  const width = Math.max(...Object.keys(METHODS).map((name) => name.length));
  let right = 0;
  let all = 0;
  const causes = CAUSE_NAMES.filter((name) => name === (cause ?? name));
  console.log([''.padEnd(width), ...causes].join('  '));
  for (const [name, { not }] of Object.entries(METHODS)) {
    if (name !== (mechanism ?? name)) continue;
    const cells = causes.map((kind) => {
      if (not[kind] !== undefined) return '–'.padStart(kind.length);
      const random = new RandomStream(SEED, `${name} ${kind}`);
      let own = 0;
      for (let round = 0; round < Number(rounds); round++) {
        const world = worldOf(name, kind, random);
        const wrongs = wrongsIn(world);
        if (wrongs.length === 0) own++;
        else if (show)
          console.error(`${name} ${kind} ${round}: ${wrongs.join('; ')}\n${world.text}`);
        else console.error(`${name} ${kind} ${round}: ${wrongs.join('; ').slice(0, 300)}`);
      }
      right += own;
      all += Number(rounds);
      return `${own}`.padStart(kind.length);
    });
    console.log([name.padEnd(width), ...cells].join('  '));
  }
  console.log(`${right} of ${all} right, ${((100 * right) / all).toFixed(1)} %`);
}

new Command()
  .name('npm run causes --')
  .option('--rounds <count>', 'worlds of each mechanism and cause', '1')
  .option('--mechanism <name>', 'only this one')
  .option('--cause <name>', 'only this one')
  .option('--show', 'print the worlds that are not right')
  .action(score)
  .parse();
