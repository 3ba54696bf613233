import type { RecordedEvent } from '../mechanism-slice.js';
import { columnsOf, resultTable } from '../result-table.js';
import type { ResultTable } from '../result-table.js';
import type { Exchange } from './exchanges.js';
import { countOf, exchangesOf, stepSpans, unitsOf } from './exchanges.js';

const row = columnsOf<Exchange>();

/** From the events of a run that records the steps of the exchange. */
export const EXCHANGE_TABLE: ResultTable<readonly RecordedEvent[]> = resultTable({
  name: 'exchanges',
  about:
    'a direction of a link, a priority and a channel: the six steps of credit exchange, and ' +
    'what became of unused credit ' +
    '(`observe: { events: steps }`)',
  rows: exchangesOf,
  columns: [
    row.text('sender', 'Port that sends frames.', (e) => e.sender),
    row.text('receiver', 'Port that grants credit.', (e) => e.receiver),
    row.whole('priority', '0 to 7', 'The priority.', (e) => e.priority),
    row.whole('channel', 'number', 'The channel of the priority.', (e) => e.channel),
    row.whole('agreed', 'times', 'Epochs that began.', (e) => countOf(e, 'agreed')),
    row.whole('requested', 'messages', 'Requests.', (e) => countOf(e, 'requested')),
    row.whole('granted', 'messages', 'Grants.', (e) => countOf(e, 'granted')),
    row.whole('transmitted', 'frames', 'Frames sent.', (e) => countOf(e, 'transmitted')),
    row.whole('transmitted_units', 'units', 'Their units.', (e) => unitsOf(e, 'transmitted')),
    row.whole('received', 'frames', 'Frames received.', (e) => countOf(e, 'received')),
    row.whole('received_units', 'units', 'Their units.', (e) => unitsOf(e, 'received')),
    row.whole('accounted', 'frames', 'Frames that left the buffer.', (e) =>
      countOf(e, 'accounted'),
    ),
    row.whole('accounted_units', 'units', 'Their units.', (e) => unitsOf(e, 'accounted')),
    row.whole('aged_units', 'units', 'Credit that expired.', (e) => unitsOf(e, 'aged')),
    row.whole('revoked_units', 'units', 'Credit that was void.', (e) => unitsOf(e, 'revoked')),
    row.whole('recovered_units', 'units', 'Credit that is buffer again.', (e) =>
      unitsOf(e, 'recovered'),
    ),
    row.whole('mean_answer_ps', 'ps', 'From a request to its grant, on average.', (e) => {
      const answers = answersOf(e);
      const sum = answers.reduce((total, answer) => total + answer, 0);
      return answers.length === 0 ? null : Math.round(sum / answers.length);
    }),
    row.whole('longest_answer_ps', 'ps', 'The longest of these.', (e) => {
      const answers = answersOf(e);
      return answers.length === 0 ? null : Math.max(...answers);
    }),
  ],
});

/** Times from requests to their grants, in ps. */
function answersOf(exchange: Exchange): number[] {
  return stepSpans(exchange)
    .filter(({ step }) => step === 'requested')
    .flatMap(({ fromPs, untilPs }) => (untilPs === null ? [] : [untilPs - fromPs]));
}
