import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  MalformedOctets,
  packPlain,
  unpackPlain,
} from '../../../../services/runtime/checkpoints/plain-octets.js';
import { fc } from '../../../kit/properties.js';

const again = (value: unknown): unknown => unpackPlain(packPlain(value));

const TYPED = [
  Int8Array.of(-1),
  Uint8Array.of(255, 0),
  Int16Array.of(-300),
  Uint16Array.of(65535),
  Int32Array.of(-70000),
  Uint32Array.of(4e9),
  Float32Array.of(0.5),
  Float64Array.of(Infinity, Number.NaN, -0, 1e-300),
];

const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, undefined, true, false, -0, Infinity, Number.NaN, ...TYPED),
    fc.double(),
    fc.integer(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value')),
    fc.dictionary(
      fc.string().filter((name) => name !== '__proto__'),
      tie('value'),
      { noNullPrototype: true },
    ),
  ),
})).value;

describe('plain values in octets', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(plain, (value) => {
        assert.deepStrictEqual(again(value), value);
      }),
    );
    assert.equal(again('\ud800 half of a pair'), '\ud800 half of a pair');
  });

  it('share what was shared, and are copies of what was given', () => {
    const shared = { name: 'leaf1', ports: [1, 2] };
    const views = Float64Array.of(1, 2, 3).subarray(1);
    const [a, b, view] = again([shared, shared, views]) as [object, object, Float64Array];
    assert.equal(a, b);
    assert.notEqual(a, shared);
    assert.deepEqual([...view, view.byteOffset, view.buffer.byteLength], [2, 3, 0, 16]);
  });

  it('are nothing else: what is no data is not written', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    const others = [
      new Map(),
      new Date(),
      () => 1,
      1n,
      Symbol('s'),
      circle,
      new DataView(new ArrayBuffer(1)),
    ];
    for (const value of others) assert.throws(() => packPlain([value]), TypeError);
  });

  it('are refused wherever they are cut or changed in their structure', () => {
    const octets = packPlain({ a: [1, 'b', Int16Array.of(1, 2), { a: null }], c: 0.5 });
    for (let length = 0; length < octets.length; length++) {
      assert.throws(() => unpackPlain(octets.subarray(0, length)), MalformedOctets);
    }
    assert.throws(() => unpackPlain(Buffer.concat([octets, Buffer.of(0)])), /something follows/);
  });

  it('neither allocate what a length promises nor set a prototype', () => {
    const magic = packPlain(null).subarray(0, 4);
    const made = (...tail: number[]): Uint8Array => Buffer.concat([magic, Buffer.from(tail)]);
    const many = [0xff, 0xff, 0xff, 0xff];
    assert.throws(() => unpackPlain(made(8, ...many)), /ends too early/);
    assert.throws(() => unpackPlain(made(10, 7, ...many)), /ends too early/);
    assert.throws(() => unpackPlain(made(6, ...many)), /ends too early/);
    assert.throws(() => unpackPlain(made(99)), /there is no tag 99/);
    assert.throws(() => unpackPlain(made(11, 0, 0, 0, 0)), /shared that was not given/);
    const one = [8, 1, 0, 0, 0];
    assert.throws(() => unpackPlain(made(...Array<number[]>(200).fill(one).flat(), 0)), /too deep/);
    const name = Buffer.from('__proto__', 'utf16le');
    const object = [9, 0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, ...name, 0];
    assert.throws(() => unpackPlain(made(...object)), /a name that no value has/);
  });
});
