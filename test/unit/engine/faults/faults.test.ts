import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FaultTimes } from '../../../../services/engine/contract/fault.js';
import { DROP } from '../../../../services/engine/contract/probe.js';
import {
  CONTROL_FRAMES,
  matchesControl,
  messageOf,
} from '../../../../services/engine/faults/control-frames.js';
import { firstSpell, nextSpell } from '../../../../services/engine/faults/fault-schedule.js';
import { frameError, turnOneBit, UNHURT } from '../../../../services/engine/faults/frame-errors.js';
import { RandomStream } from '../../../../services/engine/kernel/random.js';
import { blankCeTag, encodeLoneCeTag } from '../../../../services/engine/wire/ce-tag.js';
import { blankCfUpdate, encodeCfUpdate } from '../../../../services/engine/wire/cf-update.js';
import {
  blankCcUpdate,
  encodeCcUpdate,
} from '../../../../services/engine/wire/mac-control/cc-update.js';
import { blankCeFrame, encodeCe } from '../../../../services/engine/wire/mac-control/ce-frame.js';
import { OPCODE_CE_GRANT } from '../../../../services/engine/wire/mac-control/opcodes.js';
import {
  blankPauseFrame,
  encodePause,
} from '../../../../services/engine/wire/mac-control/pause-frame.js';
import {
  blankPfcFrame,
  encodePfc,
} from '../../../../services/engine/wire/mac-control/pfc-frame.js';

const ONCE: FaultTimes = {
  startPs: 100,
  forPs: 10,
  everyPs: Infinity,
  untilPs: Infinity,
  times: Infinity,
  random: false,
  stream: 'x',
};

function random(): RandomStream {
  return new RandomStream(1, 'test');
}

describe('when a fault is there', () => {
  it('comes once', () => {
    const spell = firstSpell(ONCE, random())!;
    assert.deepEqual(spell, { beginPs: 100, endPs: 110 });
    assert.equal(nextSpell(ONCE, spell, 1, random()), null);
  });

  it('comes again at equal distances, and no more often than it may', () => {
    const when = { ...ONCE, everyPs: 50, times: 2 };
    const spell = firstSpell(when, random())!;
    const second = nextSpell(when, spell, 1, random());
    assert.deepEqual(second, { beginPs: 150, endPs: 160 });
    assert.equal(nextSpell(when, second, 2, random()), null);
  });

  it('never comes again if it never ends', () => {
    const when = { ...ONCE, forPs: Infinity, everyPs: 50 };
    assert.equal(nextSpell(when, firstSpell(when, random())!, 1, random()), null);
  });

  it('comes at random with the means it was given, one spell after the other', () => {
    const when = { ...ONCE, forPs: 1000, everyPs: 9000, random: true };
    const stream = random();
    let spell = firstSpell(when, stream)!;
    let there = 0;
    const count = 20_000;
    for (let i = 0; i < count; i++) {
      assert.ok(spell.endPs > spell.beginPs);
      there += spell.endPs - spell.beginPs;
      const next = nextSpell(when, spell, i, stream)!;
      assert.ok(next.beginPs > spell.endPs);
      spell = next;
    }
    assert.ok(Math.abs(there / count / 1000 - 1) < 0.03);
    assert.ok(Math.abs(spell.beginPs / count / 10_000 - 1) < 0.03);
  });
});

describe('what happens to a frame', () => {
  it('gets nowhere without a carrier', () => {
    assert.equal(frameError({ kind: 'down' }, 3, 64, random()), DROP.LINK_DOWN);
  });

  it('is lost with the given probability, if its priority is meant', () => {
    const loss = { kind: 'loss', probability: 0.25, priorities: 1 << 3, control: false } as const;
    const stream = random();
    let lost = 0;
    for (let i = 0; i < 20_000; i++) if (frameError(loss, 3, 64, stream) !== UNHURT) lost++;
    assert.ok(Math.abs(lost / 20_000 - 0.25) < 0.01);
    assert.equal(frameError({ ...loss, probability: 1 }, 2, 64, stream), UNHURT);
    assert.equal(frameError({ ...loss, probability: 1 }, -1, 64, stream), UNHURT);
  });

  it('is the likelier to have a wrong bit the longer it is', () => {
    const perOctet = 8 * Math.log1p(-1e-5);
    const errors = { kind: 'bit-errors', perOctet, perFrame: 0 } as const;
    const stream = random();
    for (const octets of [64, 1518, 9018]) {
      let wrong = 0;
      for (let i = 0; i < 20_000; i++)
        if (frameError(errors, 0, octets, stream) !== UNHURT) wrong++;
      const expected = 1 - (1 - 1e-5) ** (8 * octets);
      assert.ok(Math.abs(wrong / 20_000 - expected) < 0.01, `${octets}: ${wrong}`);
    }
  });

  it('has exactly one bit turned, and none of its header', () => {
    const stream = random();
    for (let i = 0; i < 200; i++) {
      const octets = new Uint8Array(60);
      turnOneBit(octets, 16, 60, stream);
      assert.ok(octets.subarray(0, 16).every((octet) => octet === 0));
      const bits = octets.reduce(
        (sum, octet) => sum + octet.toString(2).replaceAll('0', '').length,
        0,
      );
      assert.equal(bits, 1);
    }
  });
});

describe('which control frame is meant', () => {
  const frames: Record<string, Uint8Array> = {
    pause: octetsOf((into) => encodePause(into, 0, { ...blankPauseFrame(), quanta: 7 })),
    pfc: octetsOf((into) => encodePfc(into, 0, { ...blankPfcFrame(), enableVector: 1 << 3 })),
    'ce-request': octetsOf((into) =>
      encodeCe(into, 0, { ...blankCeFrame(), tcSelectionVector: 1 << 3 }),
    ),
    'ce-grant': octetsOf((into) =>
      encodeCe(into, 0, { ...blankCeFrame(), opcode: OPCODE_CE_GRANT, tcSelectionVector: 1 << 3 }),
    ),
    'cc-update': octetsOf((into) => encodeCcUpdate(into, 0, blankCcUpdate())),
    'cf-update': octetsOf((into) => encodeCfUpdate(into, 0, blankCfUpdate())),
    'ce-tag-request': octetsOf((into) =>
      encodeLoneCeTag(into, 0, 1, { ...blankCeTag(), tcSelectionVector: 1 << 3 }),
    ),
  };

  it('is found by its name among all others', () => {
    for (const [name, kind] of Object.entries(CONTROL_FRAMES)) {
      const match = { ...kind, priorities: 0xff };
      const found = Object.keys(frames).filter((other) =>
        matchesControl(match, frames[other]!, frames[other]!.length),
      );
      const isAny = name === 'any';
      const exists = name in frames;
      assert.deepEqual(found, isAny ? Object.keys(frames) : exists ? [name] : []);
    }
  });

  it('is found by the priority that it names, where it names any', () => {
    for (const name of ['pfc', 'ce-request', 'ce-grant', 'ce-tag-request']) {
      const kind = CONTROL_FRAMES[name]!;
      const octets = frames[name]!;
      const matches = (priorities: number): boolean =>
        matchesControl({ ...kind, priorities }, octets, octets.length);
      assert.ok(matches(1 << 3));
      assert.ok(!matches(~(1 << 3) & 0xff));
    }
  });
});

function octetsOf(encode: (into: Uint8Array) => number): Uint8Array {
  const octets = new Uint8Array(64);
  return octets.subarray(0, encode(octets));
}

describe('a message of the fabric', () => {
  const [CNP, CNM, CIM, SFCM] = ['cnp', 'cnm', 'cim', 'sfcm'].map(
    (name) => CONTROL_FRAMES[name]!.messages,
  ) as [number, number, number, number];
  const word = (value: number): number[] => [value >> 8, value & 0xff];
  const none = (count: number): number[] => Array.from({ length: count }, () => 0);
  const frame = (...parts: readonly number[][]): Uint8Array =>
    Uint8Array.from([...none(12), ...parts.flat()]);
  const udp = (port: number): number[] => [...word(0xc000), ...word(port), ...none(4)];
  const ipv4 = [...word(0x0800), 0x45, ...none(19)];
  const ipv6 = [...word(0x86dd), 0x60, ...none(39)];

  it('is known by EtherType, or by the UDP port and the first octet behind it', () => {
    assert.equal(messageOf(frame(word(0x22e7), none(24))), CNM);
    assert.equal(messageOf(frame(word(0x89a2), [0, 9, 9])), CIM);
    assert.equal(messageOf(frame(word(0x89a2), [1, 9, 9])), SFCM);
    for (const ip of [ipv4, ipv6]) {
      assert.equal(messageOf(frame(ip, udp(4791), [0x81])), CNP);
      assert.equal(messageOf(frame(ip, udp(4791), [0x64])), 0);
      assert.equal(messageOf(frame(ip, udp(1021), [0])), CIM);
      assert.equal(messageOf(frame(ip, udp(1021), [1])), SFCM);
    }
  });

  it('is known behind tags, and cut short it is none', () => {
    const tags = [0x88a8, 0x8100, 0x22e9].map((type) => [...word(type), 0x60, 0x01]);
    assert.equal(messageOf(frame(...tags, word(0x89a2), [0, 9])), CIM);
    assert.equal(messageOf(frame(ipv4, udp(4791))), 0);
    assert.equal(messageOf(frame(word(0x88b5), [0, 1])), 0);
  });
});
