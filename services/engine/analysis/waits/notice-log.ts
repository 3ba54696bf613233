import { RecordTable } from '../record-table.js';
import type { NoticeRecord } from './wait-records.js';

// Numbers of a record.

const PORT = 0;
const PRIORITY = 1;
const TIME = 2;
const QUEUE_MAC = 3;
const WIDTH = 4;

/** Messages of queues, near or far, that pause priorities of a device or of its link partners. */
export class NoticeLog {
  readonly table = new RecordTable(WIDTH);

  add(port: number, priority: number, queueMac: number, now: number): void {
    const row = this.table.begin();
    if (row < 0) return;
    const { values } = this.table;
    values[row + PORT] = port;
    values[row + PRIORITY] = priority;
    values[row + TIME] = now;
    values[row + QUEUE_MAC] = queueMac;
    this.table.close(row);
  }

  all(): NoticeRecord[] {
    const { values } = this.table;
    return this.table.map((row) => ({
      port: values[row + PORT] | 0,
      priority: values[row + PRIORITY] | 0,
      timePs: values[row + TIME],
      queueMac: values[row + QUEUE_MAC],
    }));
  }
}
