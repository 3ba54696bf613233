import assert from 'node:assert/strict';
import { it } from 'node:test';
import type {
  FrameRef,
  PortRow,
  Priority,
  TrafficClass,
} from '../../../../services/engine/units/indices.js';

// What follows is a test of the compiler: an index in the place of another is an error there.

const sent = (frame: FrameRef): number => frame;
const queued = (trafficClass: TrafficClass): number => trafficClass;

it('an index of another kind does not compile, and an element of a table does', () => {
  const port: PortRow = 3;
  const priority: Priority = 5;
  // @ts-expect-error: a port is no frame.
  assert.equal(sent(port), 3);
  // @ts-expect-error: the traffic class of a priority is looked up.
  assert.equal(queued(priority), 5);
  assert.equal(sent(new Int32Array([7])[0]!), 7);
});
