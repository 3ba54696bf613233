import { PodApi } from './pod-api.js';

/**
 * Ends the brokers of a run that is over, where the pod of its coordinator has the right to: their
 * volumes go with them, and the run directory is elsewhere.
 */
export async function endBrokers(
  env: NodeJS.ProcessEnv = process.env,
  api: PodApi = new PodApi(env),
): Promise<void> {
  const { SELVAGE_BROKERS: name } = env;
  if (name === undefined) return;
  try {
    await api.send('PATCH', `statefulsets/${name}/scale`, { spec: { replicas: 0 } });
  } catch (error) {
    process.stderr.write(`the brokers go on: ${(error as Error).message}\n`);
  }
}
