/** Explanations of metrics, in one line, wherever they are shown. */

export const GOODPUT_NOTE =
  'goodput: payload over the time that it was offered, to its end if all of it arrived, else to ' +
  'the end of the run';

export const CENSORING_NOTE =
  '> X: what has not finished counts as longer than any, and X is the least that it can be';
