import type { Client, ClientReadableStream, MethodDefinition } from '@grpc/grpc-js';
import { status as codes } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import type { selvage } from '#contracts';
import { grpc } from '#contracts';
import type { MergedRun } from '../../runtime/merge.js';
import type { TlsCredentials, TlsFiles } from '../../runtime/links/control-channel.js';
import { controlClient, STREAM_MS, tokenMetadata } from '../../runtime/links/control-channel.js';
import { unpackSnapshot, unpackOutcome } from '../../runtime/checkpoints/packed-outcome.js';
import type { RunSnapshot } from '../../runtime/run-snapshot.js';
import { receivedColumns } from '../../runtime/port-columns.js';
import type { PortSample } from '../../runtime/port-sample.js';
import {
  CHECK,
  CLEAR,
  INJECT,
  LIST_FAULTS,
  SNAPSHOT,
  RESULTS,
  SAMPLES,
  STEER,
  WATCH,
} from '../../runtime/links/methods.js';

type Status = selvage.v1.RunStatus;
type Action = selvage.v1.SteerRequest.Action;

const { SERVING } = grpc.health.v1.HealthCheckResponse.ServingStatus;
/** Of a call whose server has ended; the next one may not have what was requested. */
const LOST = [codes.UNAVAILABLE, codes.CANCELLED, codes.INTERNAL, codes.FAILED_PRECONDITION];
const CALL_MS = 10_000;
const RESULTS_MS = 600_000;
const WATCH_MS = 60_000;
const RETRY_MS = 100;

/** Client of a coordinator's control plane, for commands. */
export class CoordinatorClient {
  private readonly client: Client;
  private isClosed = false;

  constructor(
    address: string,
    /** See `RunKeys`. */
    private readonly token: string,
    tls: TlsFiles | TlsCredentials | null,
    /** How long an unlimited stream lasts before it is opened again. */
    private readonly streamMs = STREAM_MS,
  ) {
    this.client = controlClient(address, tls);
  }

  close(): void {
    this.isClosed = true;
    this.client.close();
  }

  /**
   * Follows the run to its end, through absences of the coordinator of up to `patienceMs`; rejects
   * when the client is closed.
   */
  async follow(
    listener: (status: Status) => void,
    isOver: (status: Status) => boolean,
    patienceMs: number,
  ): Promise<Status> {
    for (let seenAt = performance.now(); ;) {
      const last = await this.watchOnce((status) => {
        listener(status);
        return isOver(status);
      });
      if (typeof last === 'object') return last;
      if (this.isClosed) throw new Error('the client was closed');
      // However long it had nothing to report, as of a run that is paused.
      if (last === 'there') seenAt = performance.now();
      if (performance.now() - seenAt > patienceMs) {
        throw new Error(`the coordinator has not answered for ${patienceMs / 1000} s`);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** The state of the run now. */
  async status(): Promise<Status | null> {
    const status = await this.watchOnce(() => true);
    return typeof status === 'object' ? status : null;
  }

  /** Whether the coordinator reports that it serves, by the standard health protocol. */
  healthy(): Promise<boolean> {
    const { path, requestSerialize, responseDeserialize } = CHECK.client;
    const deadline = Date.now() + CALL_MS;
    return new Promise((resolve) => {
      this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        { service: '' },
        { deadline },
        (error, reply) => {
          resolve(error === null && reply?.status === SERVING);
        },
      );
    });
  }

  steer(action: Action, stepPs = 0): Promise<selvage.v1.SteerReply> {
    return this.call(STEER.client, { action, stepPs });
  }

  /** Injects a fault in the notation of a scenario. */
  inject(fault: string): Promise<selvage.v1.FaultReply> {
    return this.call(INJECT.client, { fault });
  }

  clear(name: string): Promise<selvage.v1.FaultReply> {
    return this.call(CLEAR.client, { name });
  }

  async faults(): Promise<selvage.v1.ListFaultsReply['faults']> {
    const { faults } = await this.call(LIST_FAULTS.client, {});
    return faults;
  }

  /** Receives samples of ports until it is ended; returns how to end it. */
  samples(listener: (sample: PortSample) => void, ended: () => void): () => void {
    const { path, requestSerialize, responseDeserialize } = SAMPLES.client;
    const stream = this.client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      {},
      tokenMetadata(this.token),
      { deadline: Date.now() + this.streamMs },
    );
    stream.on('data', ({ timePs, ports }: selvage.v1.PortSample) => {
      listener({ timePs, columns: receivedColumns(ports ?? null) });
    });
    let isOpen = true;
    const end = (): void => {
      if (isOpen) ended();
      isOpen = false;
    };
    stream.on('error', end).on('end', end);
    return () => {
      stream.cancel();
    };
  }

  /** A snapshot of the run at the next bound. */
  async snapshot(): Promise<RunSnapshot> {
    const { path, requestSerialize, responseDeserialize } = SNAPSHOT.client;
    const stream = this.client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      {},
      tokenMetadata(this.token),
      { deadline: Date.now() + CALL_MS },
    ) as ClientReadableStream<selvage.v1.SnapshotPart>;
    const text: Uint8Array[] = [];
    for await (const piece of stream) text.push((piece as selvage.v1.SnapshotPart).json);
    return unpackSnapshot(Buffer.concat(text));
  }

  /** Null: the coordinator was lost before it had sent all of them. */
  async results(): Promise<MergedRun | null> {
    const { path, requestSerialize, responseDeserialize } = RESULTS.client;
    const stream = this.client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      {},
      tokenMetadata(this.token),
      { deadline: Date.now() + RESULTS_MS },
    ) as ClientReadableStream<selvage.v1.ResultsPart>;
    const text: Uint8Array[] = [];
    const kept: Uint8Array[] = [];
    const written: Uint8Array[] = [];
    try {
      for await (const piece of stream) {
        const { json, state, logs } = piece as selvage.v1.ResultsPart;
        text.push(json);
        kept.push(state);
        written.push(logs);
      }
    } catch (error) {
      if (!this.isClosed && LOST.includes((error as ServiceError).code)) return null;
      throw new CoordinatorError(explain(error as ServiceError));
    }
    return unpackOutcome({
      json: Buffer.concat(text),
      state: Buffer.concat(kept),
      logs: Buffer.concat(written),
    });
  }

  private call<Request, Reply>(
    { path, requestSerialize, responseDeserialize }: MethodDefinition<Request, Reply>,
    request: Request,
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        tokenMetadata(this.token),
        { deadline: Date.now() + CALL_MS },
        (error, reply) => {
          if (error === null) resolve(reply!);
          else reject(new CoordinatorError(explain(error)));
        },
      );
    });
  }

  /**
   * The first status that satisfies; if the stream ended before, whether the coordinator was there
   * until then.
   */
  private watchOnce(satisfies: (status: Status) => boolean): Promise<Status | 'there' | 'absent'> {
    const { path, requestSerialize, responseDeserialize } = WATCH.client;
    const stream = this.client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      {},
      tokenMetadata(this.token),
      // A client that follows a run opens the stream again: one that was lost ends by itself.
      { deadline: Date.now() + WATCH_MS },
    );
    return new Promise((resolve, reject) => {
      let isThere = false;
      stream.on('data', (status: Status) => {
        isThere = true;
        if (!satisfies(status)) return;
        resolve(status);
        stream.cancel();
      });
      stream.on('error', (error: ServiceError) => {
        if (error.code === codes.UNAUTHENTICATED) reject(new CoordinatorError(explain(error)));
        else resolve(isThere ? 'there' : 'absent');
      });
      stream.on('end', () => {
        resolve(isThere ? 'there' : 'absent');
      });
    });
  }
}

/** A coordinator that is away, or that refuses a request. */
export class CoordinatorError extends Error {}

function explain(error: ServiceError): string {
  const isSilent = [codes.UNAVAILABLE, codes.DEADLINE_EXCEEDED].includes(error.code);
  return isSilent ? 'the coordinator does not answer' : error.details;
}
