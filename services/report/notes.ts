/** Explanations of metrics, in one line, wherever they are shown. */

export const GOODPUT_NOTE =
  'goodput: payload over the time that it was offered, to its end if all of it arrived, else to ' +
  'the end of the run';

export const CENSORING_NOTE =
  '> X: what has not finished counts as longer than any, and X is the least that it can be';

export const REGENERATED_NOTE =
  'frames count for the priority that they arrive with, which ports have given them (802.1Q ' +
  '6.9), and all else for that of their load';
