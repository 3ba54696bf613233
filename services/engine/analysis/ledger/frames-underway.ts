import { NO_NUMBER } from '../../contract/link-layer.js';
import { framesNotWhole } from '../../device/checkpoint.js';
import type { Engine } from '../../device/engine.js';
import { CLASS, PORT, REPLICA_FLAG } from '../../frame/frame-pool.js';

/**
 * Frames that the link partner of a port has sent, and that the port has not let in: each once,
 * however often a link layer sends it again.
 */
export function forEachUnderway(
  engine: Engine,
  port: number,
  visit: (frame: number) => void,
): void {
  const { ports, inFlightQueues } = engine.shared;
  if (ports.hasLinkLayer(port)) forEachLayered(engine, port, visit);
  else inFlightQueues.forEach(port, visit);
}

/**
 * The same, and those that wait in the port for their last bit, or for the end of a fault. What is
 * replicated is charged before its copies wait.
 */
export function forEachNotTaken(
  engine: Engine,
  port: number,
  visit: (frame: number) => void,
): void {
  const { ports, pool } = engine.shared;
  forEachUnderway(engine, port, visit);
  const owner = engine.devices[ports.owner(port)];
  const isCharged = (frame: number): boolean => (pool.words[frame + CLASS] & REPLICA_FLAG) !== 0;
  const notWhole = framesNotWhole(owner).filter((frame) => !isCharged(frame));
  for (const frame of [...notWhole, ...owner.late]) {
    if (pool.words[frame + PORT] === port) visit(frame);
  }
}

function forEachLayered(
  { shared, given }: Engine,
  port: number,
  visit: (frame: number) => void,
): void {
  const { ports, inFlightQueues, linkNumbers, replayBuffers } = shared;
  const layer = given.find(({ linkLayer }) => linkLayer !== undefined)!.linkLayer!;
  const seen = new Set<number>();
  const visitNumbered = (frame: number, number: number): void => {
    if (!layer.lacks(port, number) || seen.has(number)) return;
    seen.add(number);
    visit(frame);
  };
  let last = linkNumbers.received(port);
  inFlightQueues.forEach(port, (frame) => {
    const number = linkNumbers.behind(last, frame);
    if (number === NO_NUMBER) {
      visit(frame);
      return;
    }
    last = number;
    visitNumbered(frame, number);
  });
  const peer = ports.peer(port);
  let number = layer.oldestNumber(peer);
  replayBuffers.forEach(peer, (frame) => {
    visitNumbered(frame, number);
    number = layer.numberAfter(number);
  });
}
