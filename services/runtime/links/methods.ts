import { grpc, selvage } from '#contracts';
import type { MethodDefinition } from '@grpc/grpc-js';

/** The control plane's methods for grpc-js, from the generated codecs. */

interface CodecOf<Fields, Message> {
  encode(message: Fields): { finish(): Uint8Array };
  decode(octets: Uint8Array): Message;
}

function method<RequestFields, Request, ReplyFields, Reply>(
  path: string,
  request: CodecOf<RequestFields, Request>,
  reply: CodecOf<ReplyFields, Reply>,
  streams: { readonly request: boolean; readonly reply: boolean },
): {
  client: MethodDefinition<RequestFields, Reply>;
  server: MethodDefinition<Request, ReplyFields>;
} {
  const shape = { path, requestStream: streams.request, responseStream: streams.reply };
  const serialize =
    <Fields>(codec: CodecOf<Fields, unknown>) =>
    (fields: Fields): Buffer =>
      Buffer.from(codec.encode(fields).finish());
  const deserialize =
    <Message>(codec: CodecOf<never, Message>) =>
    (octets: Buffer): Message =>
      codec.decode(octets);
  const all: object = {
    ...shape,
    requestSerialize: serialize(request),
    requestDeserialize: deserialize(request),
    responseSerialize: serialize(reply),
    responseDeserialize: deserialize(reply),
  };
  return {
    client: all as MethodDefinition<RequestFields, Reply>,
    server: all as MethodDefinition<Request, ReplyFields>,
  };
}

const { v1 } = selvage;
const ONE = { request: false, reply: false };
const MANY = { request: false, reply: true };
const BOTH = { request: true, reply: true };

export const COORDINATOR = '/selvage.v1.Coordinator';
const HEALTH = '/grpc.health.v1.Health';

export const SERVE = method(`${COORDINATOR}/Serve`, v1.FromService, v1.ToService, BOTH);
export const WATCH = method(`${COORDINATOR}/Watch`, v1.WatchRequest, v1.RunStatus, MANY);
export const STEER = method(`${COORDINATOR}/Steer`, v1.SteerRequest, v1.SteerReply, ONE);
export const SAMPLES = method(`${COORDINATOR}/Samples`, v1.SamplesRequest, v1.PortSample, MANY);
export const SNAPSHOT = method(
  `${COORDINATOR}/Snapshot`,
  v1.SnapshotRequest,
  v1.SnapshotPart,
  MANY,
);
export const RESULTS = method(`${COORDINATOR}/Results`, v1.ResultsRequest, v1.ResultsPart, MANY);
export const INJECT = method(
  `${COORDINATOR}/InjectFault`,
  v1.InjectFaultRequest,
  v1.FaultReply,
  ONE,
);
export const CLEAR = method(`${COORDINATOR}/ClearFault`, v1.ClearFaultRequest, v1.FaultReply, ONE);
export const LIST_FAULTS = method(
  `${COORDINATOR}/ListFaults`,
  v1.ListFaultsRequest,
  v1.ListFaultsReply,
  ONE,
);

const { HealthCheckRequest, HealthCheckResponse } = grpc.health.v1;
export const CHECK = method(`${HEALTH}/Check`, HealthCheckRequest, HealthCheckResponse, ONE);
export const WATCH_HEALTH = method(
  `${HEALTH}/Watch`,
  HealthCheckRequest,
  HealthCheckResponse,
  MANY,
);

const { ServerReflectionRequest, ServerReflectionResponse } = grpc.reflection.v1;
export const REFLECT = method(
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  ServerReflectionRequest,
  ServerReflectionResponse,
  BOTH,
);
