import { isOfLink } from '../../engine/faults/control-frames.js';
import { ORDERED_SET_OCTETS } from '../../engine/wire/ordered-set.js';
import type { TemplateKey } from '../../mechanisms/message-template.js';
import { MESSAGE_TEMPLATES } from '../../mechanisms/registry.js';
import { listed } from '../../settings/errors.js';
import { quantity, text } from '../../settings/parts.js';
import { aboveZero, time } from '../../settings/quantities.js';
import { faultKind, type FaultPort, priorityMask, type Written } from './fault-kind.js';
import { KEYS } from './keys.js';

const HOST = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** Control frames of a link: MAC control, LLDP, and the two CE-TAGs; in hexadecimal. */
const LINK_TYPES = ['8808', '88cc', '88b5', '88b6'];
/** Congestion messages that cross the fabric, of their own type or on IP; and their tags. */
const MESSAGE_TYPES = ['89a2', '22e7', '22e9', '0800', '86dd', '8100', '88a8'];
/** Digits before it. */
const TYPE_AT = 24;
const PAUSE_DEFAULT = listed(MESSAGE_TEMPLATES.flatMap(({ pauseDefault }) => pauseDefault ?? []));

export const forge = faultKind({
  name: 'forge',
  effect: 'the port sends this control frame, again and again',
  must: { interval: KEYS.interval },
  may: {
    octets: text(
      'a frame',
      /^([0-9a-fA-F]{16}|([0-9a-fA-F]{2}){60,1514})$/,
      '60 to 1514 bytes in hexadecimal: a whole frame without FCS; or 8: a control ordered set',
    ).describe('The forged control frame, or control ordered set.'),
    frames: KEYS.frames,
    to: text('a host', HOST, 'a name such as h1').describe('Host that the forged message goes to.'),
    source: text('a host', HOST, 'a name such as h1').describe(
      `${ofForged('source')}: host that it names as the source. Default: its receiver.`,
    ),
    pause: quantity(aboveZero(time)).describe(
      `${ofForged('pause')}: for how long the source is to stop. Default: ${PAUSE_DEFAULT}.`,
    ),
    priority: KEYS.priority,
  },
  hits: 'port',
  needs: 'ordered sets, as llr and cbfc have them',
  /** A frame is spoofed by its octets, or composed by its name and destination. */
  check({ octets, frames, to, source, pause, priority }, written) {
    if ((octets === undefined) === (frames === undefined)) {
      throw written.error('forge needs one of octets and frames');
    }
    if (octets !== undefined) {
      const others = { to, source, pause, priority };
      const strange = Object.entries(others).find(([, given]) => given !== undefined);
      if (strange !== undefined) {
        throw written.errorAtKey(strange[0], `octets say all: no ${strange[0]}`);
      }
      checkType(octets, written);
    } else checkMessage(frames!, to, written);
  },
  place(at, { octets: written = '', frames, to, source, pause, priority, interval: everyPs }) {
    const given = Uint8Array.from(Buffer.from(written, 'hex'));
    // Elsewhere an ordered set would arrive sooner than anything may.
    const isSet = given.length === ORDERED_SET_OCTETS;
    if (isSet && at.peer.orderedSets !== true) return false;
    const octets =
      to === undefined
        ? given
        : at.injector.make(
            {
              template: MESSAGE_TEMPLATES.find((own) => own.frames === frames)!,
              to: at.host('to', to),
              source: at.host('source', source ?? to),
              priority: priority === undefined ? null : 31 - Math.clz32(priorityMask(priority)),
              pausePs: pause ?? null,
            },
            at.number,
            at.port.mac,
          );
    const message = isSet || isOfLink(octets) ? null : messageOf(at, octets);
    at.put({ kind: 'send', octets: [...octets], everyPs, message });
    return true;
  },
  look: 'device',
});

/** Headers of a frame that crosses the fabric. */
function messageOf(at: FaultPort, octets: Uint8Array) {
  const message = at.injector.around(octets, at.peer.mac);
  if (typeof message === 'string') throw at.error(message, 'octets');
  // A run without a duration ends when nothing is in flight, and this always would be.
  if (!at.hasDuration && goesOnForEver(at.times)) {
    const advice = 'give it for, until or times, or the run a duration';
    throw at.error(`messages forged for ever let no run end: ${advice}`);
  }
  return message;
}

function goesOnForEver({ forPs, everyPs, times, untilPs }: FaultPort['times']): boolean {
  if (untilPs !== Infinity) return false;
  return forPs === Infinity || (everyPs !== Infinity && times === Infinity);
}

function checkMessage(frames: string, to: string | undefined, written: Written): void {
  const template = MESSAGE_TEMPLATES.find((own) => own.frames === frames);
  if (template === undefined) {
    const named = listed(MESSAGE_TEMPLATES.map((own) => own.frames));
    const message = `${frames} cannot be forged by its name: ${named} can; give octets`;
    throw written.error(message, 'frames');
  }
  if (to === undefined) {
    throw written.error(`a forged ${frames} needs to: the host that receives it`);
  }
  const strange = (['source', 'pause'] as const).find(
    (key) => written.has(key) && !template.keys.includes(key),
  );
  if (strange !== undefined) {
    throw written.errorAtKey(strange, `${strange} means nothing to ${frames}`);
  }
}

function checkType(octets: string, written: Written): void {
  // An ordered set has none, and any of its octets may be wrong.
  if (octets.length === 2 * ORDERED_SET_OCTETS) return;
  const type = octets.slice(TYPE_AT, TYPE_AT + 4).toLowerCase();
  const known = [...LINK_TYPES, ...MESSAGE_TYPES];
  if (known.includes(type)) return;
  const message = `the EtherType is ${type}; control frames have one of ` + listed(known);
  throw written.error(message, 'octets');
}

/** Forged messages that have a key. */
function ofForged(key: TemplateKey): string {
  const having = MESSAGE_TEMPLATES.filter(({ keys }) => keys.includes(key));
  return `Of ${listed(having.map(({ frames }) => `\`${frames}\``))}`;
}
