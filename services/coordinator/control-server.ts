/**
 * The calls of the control plane (proto/selvage/v1/control.proto) as methods of the run: of the
 * coordinator's, and of a run in one process that commands may steer. It relies on the token guard
 * before every call, and on protobuf for the shape of a request: what a fault may contain is
 * checked by the schema of scenarios. A call must not wait for virtual time: it is carried out at
 * the next bound, and a stream that is not read must not hold up the others.
 */

import type {
  sendUnaryData,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
} from '@grpc/grpc-js';
import { parse } from 'yaml';
import type { selvage } from '#contracts';
import { grpc } from '#contracts';
import { Server, status as codes } from '@grpc/grpc-js';
import type { TlsFiles } from '../runtime/links/control-channel.js';
import { CHANNEL_OPTIONS, serverCredentials } from '../runtime/links/control-channel.js';
import {
  CHECK,
  CLEAR,
  INJECT,
  LIST_FAULTS,
  SNAPSHOT,
  REFLECT,
  RESULTS,
  SAMPLES,
  SERVE,
  STEER,
  WATCH,
  WATCH_HEALTH,
} from '../runtime/links/methods.js';
import { spokenColumns } from '../runtime/port-columns.js';
import type { FaultRequest, FaultWords, LiveFault } from '../runtime/live-faults.js';
import { reflect } from './reflection.js';
import type { RunRequests, ServiceRequests, ServiceStream } from './control-requests.js';
import { tokenGuard } from './token-guard.js';

type V1 = typeof selvage.v1;
type Message<T extends keyof V1> = V1[T] extends new (...args: never[]) => infer M ? M : never;
type UnaryCall<T extends keyof V1> = ServerUnaryCall<Message<T>, object>;
type ReflectionRequest = grpc.reflection.v1.ServerReflectionRequest;

const PIECE_OCTETS = 1 << 20;
const { SERVING, SERVICE_UNKNOWN } = grpc.health.v1.HealthCheckResponse.ServingStatus;
const ALONE = { code: codes.FAILED_PRECONDITION, details: 'this run is all in one process' };

/** The gRPC server of the coordinator's control plane. */
export class ControlServer {
  private readonly server: Server;
  private readonly readers = new Set<object>();

  constructor(
    private readonly run: RunRequests,
    /** Null: the run has none, it is all in one process. */
    private readonly services: ServiceRequests | null,
    token: string,
  ) {
    this.server = new Server({ ...CHANNEL_OPTIONS, interceptors: [tokenGuard(token)] });
    this.server.addService(SERVICE, {
      serve: (call: ServerDuplexStream<Message<'FromService'>, object>) => {
        this.serve(call);
      },
      watch: (call: ServerWritableStream<unknown, object>) => {
        this.watch(call);
      },
      steer: (
        call: ServerUnaryCall<Message<'SteerRequest'>, object>,
        reply: sendUnaryData<object>,
      ) => {
        reply(null, this.run.steer(call.request.action, call.request.stepPs));
      },
      samples: (call: ServerWritableStream<unknown, object>) => {
        this.samples(call);
      },
      snapshot: (call: ServerWritableStream<unknown, object>) => {
        this.snapshot(call);
      },
      results: (call: ServerWritableStream<unknown, object>) => {
        this.results(call);
      },
      injectFault: (call: UnaryCall<'InjectFaultRequest'>, reply: sendUnaryData<object>) => {
        this.change(reply, () => ({ kind: 'inject', fault: faultIn(call.request.fault) }));
      },
      clearFault: (call: UnaryCall<'ClearFaultRequest'>, reply: sendUnaryData<object>) => {
        this.change(reply, () => ({ kind: 'clear', name: call.request.name }));
      },
      listFaults: (_: UnaryCall<'ListFaultsRequest'>, reply: sendUnaryData<object>) => {
        reply(null, { faults: this.run.faults().map(toldOf) });
      },
    });
    this.server.addService(HEALTH, {
      check: (
        call: ServerUnaryCall<grpc.health.v1.HealthCheckRequest, object>,
        reply: sendUnaryData<object>,
      ) => {
        reply(null, { status: healthOf(call.request.service) });
      },
      watch: (call: ServerWritableStream<grpc.health.v1.HealthCheckRequest, object>) => {
        call.write({ status: healthOf(call.request.service) });
      },
    });
    this.server.addService(REFLECTION, {
      serverReflectionInfo: (call: ServerDuplexStream<ReflectionRequest, object>) => {
        call.on('data', (request: ReflectionRequest) => {
          call.write(reflect(request));
        });
        call.on('end', () => {
          call.end();
        });
      },
    });
  }

  /** Listens at host:port; returns the port, which was chosen if it was 0. */
  listen(address: string, tls: TlsFiles | null): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.bindAsync(address, serverCredentials(tls), (error, port) => {
        if (error === null) resolve(port);
        else reject(new Error(`cannot listen at ${address}: ${error.message}`));
      });
    });
  }

  close(): void {
    this.server.forceShutdown();
  }

  /** Whether results are being sent: to a client that is slow, or far away. */
  get isRead(): boolean {
    return this.readers.size > 0;
  }

  private change(reply: sendUnaryData<object>, request: () => FaultRequest): void {
    const changed = Promise.resolve().then(() => this.run.change(request()));
    changed.then(
      (step) => {
        const name = step.kind === 'clear' ? step.name : step.fault['name'];
        reply(null, { done: true, detail: '', name, atPs: step.atPs });
      },
      (error: unknown) => {
        reply(null, { done: false, detail: (error as Error).message, name: '', atPs: 0 });
      },
    );
  }

  private serve(call: ServerDuplexStream<Message<'FromService'>, object>): void {
    const { services } = this;
    if (services === null) {
      call.emit('error', ALONE);
      return;
    }
    let service: number | null = null;
    const stream: ServiceStream = {
      send: (message) => {
        call.write(message);
      },
      end: () => {
        call.end();
      },
    };
    call.on('data', (message: Message<'FromService'>) => {
      if (message.register) {
        const refusal = services.register(message.register, stream);
        if (refusal === null) service = message.register.service ?? 0;
        else {
          call.write({ refusal });
          call.end();
        }
      } else if (service !== null) services.receive(service, message);
    });
    let gone = false;
    const leave = (): void => {
      if (gone) return;
      gone = true;
      if (service !== null) services.lost(service, stream);
      call.end();
    };
    call.on('end', leave).on('cancelled', leave).on('close', leave).on('error', leave);
  }

  private watch(call: ServerWritableStream<unknown, object>): void {
    const stop = this.run.watch((status) => {
      call.write(status);
      if (this.run.isOver()) call.end();
    });
    call.on('cancelled', stop).on('close', stop);
  }

  /** A client that does not read is sent no more until it does. */
  private samples(call: ServerWritableStream<unknown, object>): void {
    if (this.services === null) {
      call.emit('error', ALONE);
      return;
    }
    const stop = this.services.listenPorts(({ timePs, columns }) => {
      if (!call.writableNeedDrain) call.write({ timePs, ports: spokenColumns(columns) });
    });
    call.on('cancelled', stop).on('close', stop);
  }

  private snapshot(call: ServerWritableStream<unknown, object>): void {
    const { services } = this;
    if (services === null) call.emit('error', ALONE);
    else {
      const seen = Promise.resolve().then(() => services.snapshot());
      seen.then(
        (json) => {
          for (const piece of piecesOf(json)) call.write({ json: piece });
          call.end();
        },
        (error: unknown) => {
          const details = (error as Error).message;
          call.emit('error', { code: codes.FAILED_PRECONDITION, details });
        },
      );
    }
  }

  private results(call: ServerWritableStream<unknown, object>): void {
    const { outcome } = this.run;
    if (outcome === null) {
      call.emit('error', { code: codes.FAILED_PRECONDITION, details: 'the run has no results' });
    } else {
      this.readers.add(call);
      const stop = (): boolean => this.readers.delete(call);
      call.on('cancelled', stop).on('close', stop);
      for (const piece of piecesOf(outcome.json)) call.write({ json: piece });
      for (const piece of piecesOf(outcome.state)) call.write({ state: piece });
      for (const piece of piecesOf(outcome.logs)) call.write({ logs: piece });
      call.end();
    }
  }
}

/** Parses a request; the scenario's schema checks whether it is a fault. */
function faultIn(text: string): FaultWords {
  const words: unknown = parse(text);
  if (typeof words === 'object' && words !== null && !Array.isArray(words)) {
    return words as FaultWords;
  }
  throw new Error('not a fault; write one as in a scenario, such as { kind: link-down, for: 1us }');
}

function toldOf({ words, ...fault }: LiveFault): object {
  return { ...fault, fault: JSON.stringify(words) };
}

function* piecesOf(octets: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < octets.length; from += PIECE_OCTETS) {
    yield octets.subarray(from, from + PIECE_OCTETS);
  }
}

function healthOf(service: string): number {
  return service === '' || service === 'selvage.v1.Coordinator' ? SERVING : SERVICE_UNKNOWN;
}

const SERVICE: ServiceDefinition = {
  serve: SERVE.server,
  watch: WATCH.server,
  steer: STEER.server,
  samples: SAMPLES.server,
  snapshot: SNAPSHOT.server,
  results: RESULTS.server,
  injectFault: INJECT.server,
  clearFault: CLEAR.server,
  listFaults: LIST_FAULTS.server,
};
const HEALTH: ServiceDefinition = { check: CHECK.server, watch: WATCH_HEALTH.server };
const REFLECTION: ServiceDefinition = { serverReflectionInfo: REFLECT.server };
