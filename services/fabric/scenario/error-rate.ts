import { z } from 'zod';

/** A bit error rate: a probability, so small that it is written as 1e-9. */
export const errorRate = z
  .number({ error: 'not a bit error rate; write a number between 0 and 1, such as 1e-9' })
  .gt(0, { error: 'not above 0; write a bit error rate such as 1e-9' })
  .lt(1, { error: 'not below 1; write a bit error rate such as 1e-9' })
  .meta({ title: 'a number between 0 and 1, such as 1e-9' });
