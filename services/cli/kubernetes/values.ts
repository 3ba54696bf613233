import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { InputError } from '../exit.js';

// The values file of `selvage k8s`: what the owner of a cluster wants of every run.

const QUANTITY = z
  .string()
  .regex(/^\d+(\.\d+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$/, 'a quantity such as 500m, 2 or 512Mi');
const ID = z.union([z.int().positive(), z.literal('none')]);
const words = z.record(z.string(), z.string());

const resources = z
  .strictObject({
    cpu: QUANTITY.optional().describe('CPU request'),
    cpuLimit: QUANTITY.optional().describe('CPU limit (default: none)'),
    memory: QUANTITY.optional().describe('memory request'),
    memoryLimit: QUANTITY.optional().describe('memory limit'),
  })
  .refine(
    ({ memory, memoryLimit }) => (memory === undefined) === (memoryLimit === undefined),
    'memory and memoryLimit go together',
  );

const toleration = z.looseObject({
  key: z.string().optional(),
  operator: z.string().optional(),
  value: z.string().optional(),
  effect: z.string().optional(),
});

const OWNERS = {
  image: z.string().optional().describe('image of coordinator and services, with a version'),
  serviceImage: z.string().optional().describe('image of services alone, such as the slim one'),
  brokerImage: z.string().optional().describe('image of NATS'),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  imagePullSecrets: z.array(z.string()).optional().describe('names of Secrets in the namespace'),
  labels: words.optional().describe('on every object and pod'),
  annotations: words.optional().describe('on every object and pod'),
  nodeSelector: words.optional(),
  tolerations: z.array(toleration).optional().describe('of every pod, as Kubernetes has them'),
  priorityClass: z.string().optional(),
  user: ID.optional().describe('UID of pods (default: 1000; none: the cluster assigns it)'),
  group: ID.optional().describe('GID of pods, also of volumes (default: 1000)'),
  seccomp: z
    .string()
    .regex(/^(RuntimeDefault|none|Localhost\/\S+)$/, 'RuntimeDefault, none or Localhost/FILE')
    .optional()
    .describe('seccomp profile of pods (default: RuntimeDefault; none: the cluster assigns it)'),
  spread: z
    .enum(['none', 'nodes', 'zones'])
    .optional()
    .describe('services over all nodes (default with --cluster), or over all zones'),
  antiAffinity: z.boolean().optional().describe('true: no two services on one node'),
  affinity: z.looseObject({}).optional().describe('of every pod, as Kubernetes has it'),
  nodes: z
    .strictObject({
      count: z.int().positive().describe('pods of services'),
      cores: z.int().positive().describe('threads of each'),
    })
    .optional()
    .describe('for fabrics of more than 64 devices (default: what the cluster has)'),
  storageClass: z.string().optional().describe('of both volumes (default: that of the cluster)'),
  runsStorage: QUANTITY.optional().describe('volume of the run directory (default: 1Gi)'),
  results: z
    .string()
    .regex(/^s3:\/\//, 's3://bucket/folder')
    .optional()
    .describe('S3-compatible storage for run directories, instead of a volume'),
  s3: z
    .strictObject({
      endpoint: z.string().optional().describe("another server than AWS's, https://storage:9000"),
      region: z.string().optional().describe('default: us-east-1'),
      style: z.enum(['path', 'virtual']).optional().describe('the bucket in the path or the host'),
      secret: z
        .string()
        .optional()
        .describe('a Secret whose key `credentials` is a file of AWS tools (default: yours)'),
      insecure: z.boolean().optional().describe('true: http:// is accepted'),
    })
    .optional()
    .describe('of that storage (default: what the variables of AWS tools say)'),
  brokerStorage: QUANTITY.optional().describe('volume of each broker (default: 2Gi)'),
  service: resources.optional().describe('of each service (default: by its devices)'),
  point: resources.optional().describe('of each pod of a sweep or a hunt (default: by devices)'),
  coordinator: resources.optional().describe('of the coordinator (default: by the fabric)'),
  broker: resources.optional().describe('of each broker'),
  queue: z.string().optional().describe('LocalQueue of Kueue, which then admits the Jobs'),
  deadline: z.int().positive().optional().describe('seconds after which a run is ended'),
  startWithin: z.int().positive().optional().describe('seconds to start in (default: 300)'),
  hold: z
    .int()
    .positive()
    .optional()
    .describe('seconds for which some pods wait for room before all give way (default: 30)'),
  retain: z
    .int()
    .positive()
    .optional()
    .describe('seconds for which the cluster keeps an ended run (default: 604800, a week)'),
  finish: z
    .boolean()
    .optional()
    .describe(
      'true: the coordinator ends the brokers with the run; needs a Role ' +
        '(default of `k8s run`: where you may make one)',
    ),
  events: z
    .boolean()
    .optional()
    .describe('true: epochs and recoveries are events of the Job; needs a Role'),
  metrics: z
    .enum(['annotations', 'podMonitor'])
    .optional()
    .describe('how Prometheus finds the metrics of the coordinator'),
  otlp: z
    .string()
    .regex(/^(grpc|https?):\/\/[^\s/:]+:[1-9]\d{0,4}(\/\S*)?$/, 'a collector with its port')
    .optional()
    .describe('collector for spans and metrics, such as grpc://collector.observability:4317'),
  logs: z.enum(['text', 'json']).optional().describe('format of the logs of pods'),
};
const schema = z.strictObject(OWNERS);

/** What the Helm chart has besides: a chart reads no scenario. */
const chart = z.strictObject({
  ...OWNERS,
  scenario: z.string().describe('the scenario as one file'),
  files: words.describe('files that it names, by name'),
  services: z.int().positive().describe('pods of services'),
  threads: z.int().positive().describe('threads of each service'),
  devices: z.int().positive().describe('devices of the fabric'),
  devicesPerService: z.int().positive().describe('devices of the largest service'),
  infrastructure: z.boolean().describe('the scenario has infrastructure faults, which delete pods'),
  cluster: z.boolean().describe('three brokers on three nodes, services spread over all'),
  global: z.looseObject({}).optional().describe('of Helm'),
});

export type Values = z.infer<typeof schema>;

/** For editors and programs that write values. */
export function valuesJsonSchema(): object {
  return {
    ...z.toJSONSchema(schema),
    title: 'Values of selvage k8s',
    description: 'The file of --values: what the owner of a cluster wants of every run.',
  };
}

/** For Helm, which checks the values of every release. */
export function chartJsonSchema(): object {
  // Helm reads drafts up to 7.
  return { ...z.toJSONSchema(chart, { target: 'draft-7' }), title: 'Values of the Selvage chart' };
}

/** Values of a file; without one, none. Bad ones are one error that names the key. */
export function readValues(file: string | undefined): Values {
  if (file === undefined) return {};
  if (!existsSync(file)) throw new InputError(`--values ${file}: there is no such file`);
  let document: unknown;
  try {
    document = parse(readFileSync(file, 'utf8')) ?? {};
  } catch (error) {
    throw new InputError(`${file}: ${(error as Error).message.split('\n')[0]}`);
  }
  const { success, data, error } = schema.safeParse(document);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  const key = path.length === 0 ? '' : `${path.join('.')}: `;
  throw new InputError(`${file}: ${key}${message} (selvage k8s values prints the schema)`);
}
