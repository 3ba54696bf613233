/** The four LED outputs of a port (7.6): the sources that LEDCTL can select. */

export const LED_LINK_UP = 0;
export const LED_LINK_10G = 1;
export const LED_MAC_ACTIVITY = 2;
const LED_FILTER_ACTIVITY = 3;
export const LED_LINK_ACTIVITY = 4;
const LED_LINK_1G = 5;
export const LED_ON = 14;
const LED_OFF = 15;

/** Names of the sources, by mode; other modes are off. */
const LED_MODES: Readonly<Record<number, string>> = {
  [LED_LINK_UP]: 'LINK_UP',
  [LED_LINK_10G]: 'LINK_10G',
  [LED_MAC_ACTIVITY]: 'MAC_ACTIVITY',
  [LED_FILTER_ACTIVITY]: 'FILTER_ACTIVITY',
  [LED_LINK_ACTIVITY]: 'LINK/ACTIVITY',
  [LED_LINK_1G]: 'LINK_1G',
  [LED_ON]: 'ON',
  [LED_OFF]: 'OFF',
};

/** After a reset (a choice: the data sheet leaves it to the EEPROM): LED0 link, the others off. */
export const LEDCTL_DEFAULT = 0x0f0f0f00;

/** On for 200 ms, then off for 200 ms. */
export const BLINK_HALF_PS = 200e9;

export const LEDS = 4;

const INVERT = 1 << 6;
const BLINK = 1 << 7;

export interface LedInputs {
  readonly link: boolean;
  readonly linkBps: number;
  readonly macActivity: boolean;
  readonly filterActivity: boolean;
}

/** The byte of LEDCTL for one LED, read. */
interface LedControl {
  readonly source: string;
  readonly inverted: boolean;
  readonly blinks: boolean;
}

export function ledControl(ledctl: number, led: number): LedControl {
  const field = fieldOf(ledctl, led);
  return {
    source: LED_MODES[field & 15] ?? 'OFF',
    inverted: (field & INVERT) !== 0,
    blinks: (field & BLINK) !== 0,
  };
}

/** Whether LED `led` blinks. */
export function ledBlinks(ledctl: number, led: number, inputs: LedInputs): boolean {
  const field = fieldOf(ledctl, led);
  if ((field & BLINK) === 0) return false;
  const source = ledSource(field & 15, inputs);
  return (field & 15) === LED_LINK_ACTIVITY ? source : source !== ((field & INVERT) !== 0);
}

/** Whether LED `led` is lit, so long after it began to blink if it does. */
export function ledLit(ledctl: number, led: number, inputs: LedInputs, sincePs: number): boolean {
  const field = fieldOf(ledctl, led);
  const invert = (field & INVERT) !== 0;
  const phase = Math.floor(sincePs / BLINK_HALF_PS) % 2 === 0;
  if ((field & 15) === LED_LINK_ACTIVITY && (field & BLINK) !== 0) {
    return (inputs.link && (!inputs.macActivity || phase)) !== invert;
  }
  const source = ledSource(field & 15, inputs) !== invert;
  return (field & BLINK) !== 0 ? source && phase : source;
}

function fieldOf(ledctl: number, led: number): number {
  return (ledctl >>> (8 * led)) & 0xff;
}

function ledSource(mode: number, inputs: LedInputs): boolean {
  switch (mode) {
    case LED_LINK_UP:
      return inputs.link;
    case LED_LINK_10G:
      return inputs.link && inputs.linkBps === 10e9;
    case LED_LINK_1G:
      return inputs.link && inputs.linkBps === 1e9;
    case LED_MAC_ACTIVITY:
      return inputs.macActivity;
    case LED_FILTER_ACTIVITY:
      return inputs.filterActivity;
    case LED_LINK_ACTIVITY:
      return inputs.link && inputs.macActivity;
    case LED_ON:
      return true;
    default:
      return false;
  }
}
