/** Control frames of PFC and PAUSE, by their octets alone: for what spoofs and checks them. */

import {
  blankPauseFrame,
  decodePause,
  encodePause,
} from '../../engine/wire/mac-control/pause-frame.js';
import { blankPfcFrame, decodePfc, encodePfc } from '../../engine/wire/mac-control/pfc-frame.js';
import { MAC_CONTROL_OCTETS } from '../../engine/wire/mac-control/mac-control-header.js';
import { PRIORITIES } from '../../engine/units/ethernet.js';
import type { PausingFrames } from '../mechanism-slice.js';

export const pauseFrames: PausingFrames = {
  compose: (source, _priorities, quanta) => {
    const octets = new Uint8Array(MAC_CONTROL_OCTETS);
    encodePause(octets, 0, { ...blankPauseFrame(), source, quanta });
    return octets;
  },
  read: (octets, load) => {
    const frame = blankPauseFrame();
    if (decodePause(octets, 0, frame) !== 'ok') return;
    for (let priority = 0; priority < PRIORITIES; priority++) load(priority, frame.quanta);
  },
};

export const pfcFrames: PausingFrames = {
  compose: (source, priorities, quanta) => {
    const octets = new Uint8Array(MAC_CONTROL_OCTETS);
    const frame = { ...blankPfcFrame(), source, enableVector: priorities };
    frame.quanta.fill(quanta);
    encodePfc(octets, 0, frame);
    return octets;
  },
  read: (octets, load) => {
    const frame = blankPfcFrame();
    if (decodePfc(octets, 0, frame) !== 'ok') return;
    for (let priority = 0; priority < PRIORITIES; priority++) {
      if ((frame.enableVector & (1 << priority)) !== 0) load(priority, frame.quanta[priority]);
    }
  },
};
