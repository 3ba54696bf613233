import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { exampleFile } from '../examples.js';
import { EXIT, InputError } from '../exit.js';
import { liveCommand, type LiveOptions } from './live.js';

const EXAMPLE = 'live-leaf-spine';
/** Of virtual time: some ten seconds of its hosts. */
const LASTS = '500ms';
const ATTACH = ['h1=netns:a', 'h3=netns:b'];
const SERVER = '10.0.0.3';
const PORT = 8000;
/** Set in the namespaces that the demo makes for itself. */
const INSIDE = 'SELVAGE_LIVE_DEMO';

/** What host b does: takes what comes by TCP, and answers datagrams. */
const SERVE = `
const { createServer } = require('node:net');
const { createSocket } = require('node:dgram');
createServer((socket) => socket.on('error', () => 0).resume()).listen(${PORT});
const udp = createSocket('udp4').bind(${PORT});
udp.on('message', (octets, from) => udp.send(octets, from.port, from.address));`;

/** What host a does: sends by TCP for some seconds, and times answers to datagrams. */
const TALK = `
const { connect } = require('node:net');
const { createSocket } = require('node:dgram');
const { setTimeout: wait } = require('node:timers/promises');
const open = async () => {
  for (;;) {
    const socket = connect(${PORT}, '${SERVER}');
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    if (isOpen) return socket;
    await wait(100);
  }
};
(async () => {
  const socket = await open();
  const piece = Buffer.alloc(65536);
  const began = performance.now();
  const more = () => { while (performance.now() - began < 4000 && socket.write(piece)); };
  socket.on('drain', more);
  more();
  await wait(4000);
  const bits = (socket.bytesWritten - socket.writableLength) * 8;
  const rate = (bits / (performance.now() - began) / 1e3).toFixed(0);
  console.log('a sends to b by TCP: ' + rate + ' Mb/s');
  socket.destroy();
  const udp = createSocket('udp4');
  const times = [];
  for (let i = 0; i < 50; i++) {
    const sent = performance.now();
    udp.send(String(i), ${PORT}, '${SERVER}');
    await Promise.race([new Promise((resolve) => udp.once('message', resolve)), wait(1000)]);
    times.push(performance.now() - sent);
  }
  times.sort((x, y) => x - y);
  console.log('b answers a in ' + times[25].toFixed(2) + ' ms (median of 50)');
  udp.close();
})();`;

/** Two namespaces across a fabric that pauses: in namespaces of its own, so without rights. */
export async function liveDemo(options: LiveOptions): Promise<number> {
  if (process.env[INSIDE] === undefined) return inNamespaces();
  for (const line of ['mount -t tmpfs none /run', 'ip link set lo up']) {
    const [program = '', ...words] = line.split(' ');
    if (spawnSync(program, words).status !== 0) throw new InputError(`the demo needs: ${line}`);
  }
  const talk = (): (() => void) => {
    const children = [inside('b', SERVE), inside('a', TALK)];
    return () => {
      for (const child of children) child.kill();
    };
  };
  const given = { attach: ATTACH, for: options.for ?? LASTS, talk };
  return liveCommand(exampleFile(EXAMPLE), { ...options, ...given });
}

function inNamespaces(): number {
  const isRoot = process.getuid?.() === 0;
  const rights = [...(isRoot ? [] : ['-r']), '-nmpf', '--kill-child', '--mount-proc'];
  const words = [...rights, '--propagation', 'private', process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, [INSIDE]: '1' };
  const { status, error } = spawnSync('unshare', words, { stdio: 'inherit', env });
  if (error !== undefined) {
    throw new InputError(
      'the demo makes network namespaces of Linux: it needs unshare (util-linux)',
    );
  }
  return status ?? EXIT.RUN_FAILED;
}

function inside(namespace: string, script: string): ChildProcess {
  const words = ['netns', 'exec', namespace, process.execPath, '-e', script];
  return spawn('ip', words, { stdio: ['ignore', 'inherit', 'inherit'] });
}
