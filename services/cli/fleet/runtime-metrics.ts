import type { selvage } from '#contracts';
import { PS_PER_S } from '../../engine/units/time.js';
import type { RuntimeMetrics } from '../../telemetry/metrics/run-metrics.js';
import { serviceRows } from './service-table.js';

/** Metrics of a run in services, from what its coordinator reports. */
export function runtimeMetrics(status: selvage.v1.RunStatus): RuntimeMetrics {
  const { rounds, epoch, messages, resentMessages, checkpoints, checkpointMs } = status;
  return {
    ...{ rounds, messages, resentMessages, checkpoints },
    recoveries: Math.max(0, epoch - 1),
    checkpointSeconds: checkpointMs / 1000,
    checkpointAgeSeconds: status.checkpointAgeMs < 0 ? null : status.checkpointAgeMs / 1000,
    speed: status.psPerSecond / PS_PER_S,
    services: serviceRows(status).map(({ service, host, lagPs, cpuShare, messageRate }) => {
      return { service, host, lagSeconds: lagPs / PS_PER_S, cpuShare, messageRate };
    }),
  };
}
