import { KIND_DEVICE } from '../device.js';

// Kinds of timer queue entries of an adapter, behind those of its host. At one instant the
// descriptor plane decides last, after everything that became ready.

/** The rate scheduler switches a queue on; the id is the queue. */
export const KIND_RATE_ON = KIND_DEVICE + 3;
/** A register is written; the id is the index among the planned writes. */
export const KIND_REGISTER = KIND_DEVICE + 4;
/** A received frame is in host memory, descriptor and all. */
export const KIND_WRITTEN = KIND_DEVICE + 5;
/** The link into host memory is free again. */
export const KIND_WRITE_TURN = KIND_DEVICE + 6;
/** Software of a receive queue has processed a frame; the id is the queue. */
export const KIND_TAKEN = KIND_DEVICE + 7;
/** A data read is complete. */
export const KIND_READ = KIND_DEVICE + 8;
export const KIND_PUMP = KIND_DEVICE + 9;

/** Timer queue kinds from here on belong to adapters. */
export const KIND_ADAPTER = KIND_RATE_ON;
