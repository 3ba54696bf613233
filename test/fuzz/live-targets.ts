import { Refusals } from '../../services/endpoints/refusals.js';
import { StreamFrames, writeStreamFrame } from '../../services/endpoints/stream/frames.js';
import { readVxlan, writeVxlan } from '../../services/endpoints/vxlan/header.js';
import { padded } from '../../services/fabric/live/frame-facts.js';
import type { LivePlan } from '../../services/fabric/live/live-section.js';
import {
  readInputs,
  recordedInput,
  recordingHeader,
} from '../../services/fabric/live/recorded-inputs.js';
import { complete, isUnfinished, markCongestion } from '../../services/fabric/live/rewriting.js';
import { LiveStations } from '../../services/fabric/live/stations.js';
import { pfcFrame, udpFrame } from '../kit/live-frames.js';
import type { Target } from './fuzzer.js';

const section = { isWire: false, priority: null } as LivePlan['hosts'][number]['section'];
const HEADER = 14;
const FRAME = udpFrame(2, 1, { tag: 'e064', traffic: 2 });

/** What a socket may bring, up to the fabric. */
function liveFrame(): Target {
  const stations = new LiveStations({
    hosts: [
      { section, position: 0 },
      { section: { ...section, isWire: true }, position: 1 },
    ],
    group: 0,
    emulated: new Map([[2, 2]]),
  });
  const refusals = new Refusals(() => undefined);
  let turn = 0;
  return {
    name: 'live-frame',
    seeds: [
      writeVxlan(1, FRAME),
      writeVxlan(1, pfcFrame(8, 100)),
      writeVxlan(2, FRAME.slice(0, 34)),
    ],
    every: 1,
    take: (octets) => {
      const read = readVxlan(octets);
      if (typeof read === 'string') return read;
      if (read.frame.length < HEADER) return 'short';
      const frame = padded(read.frame);
      if (isUnfinished(frame)) complete(frame);
      markCongestion(frame);
      turn ^= 1;
      const entering = stations.enter(turn, frame);
      if (typeof entering !== 'string') return entering.frame === null ? 'link' : 'frame';
      refusals.add(entering);
      return entering;
    },
  };
}

const stream: Target = {
  name: 'live-stream',
  seeds: [Buffer.concat([writeStreamFrame(FRAME), writeStreamFrame(FRAME.slice(0, 20))])],
  every: 1,
  take: (octets) => {
    const frames = new StreamFrames();
    let count = 0;
    const half = octets.length >> 1;
    const isRead = [octets.subarray(0, half), octets.subarray(half)].every((part) =>
      frames.push(part, () => count++),
    );
    if (!isRead) return 'refused';
    return count === 0 ? 'part' : 'frames';
  },
};

const recording: Target = {
  name: 'live-recording',
  seeds: [Buffer.concat([recordingHeader(['h1']), recordedInput(0, 5e12, padded(FRAME))])],
  every: 1,
  take: (octets) => {
    try {
      return `read ${Math.min(2, readInputs(octets, new Map([['h1', 0]])).length)}`;
    } catch (error) {
      // The reason is one for people; other errors are defects.
      if (error instanceof Error && error.constructor === Error) return 'refused';
      throw error;
    }
  },
};

export const LIVE_TARGETS: readonly Target[] = [liveFrame(), stream, recording];
