/** The REST API of the Open Traffic Generator, as clients of snappi call it. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ScenarioError } from '../settings/errors.js';
import { configFrom } from './config.js';
import { type FlowMetrics, type Lab, type PortMetrics, RefusedError } from './lab.js';
import { Part } from './part.js';

/** Of the model whose messages are answered. */
const API_VERSION = '1.62.0';
const BODY_MOST = 16 * 1024 * 1024;
const DONE = { warnings: [] };

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Handler = (body: unknown) => unknown;

export class OtgServer {
  private readonly server: Server;
  /** As it was given. */
  private config: unknown = {};
  private readonly handlers: Readonly<Record<string, Handler>> = {
    'POST /config': (body) => this.setConfig(body),
    'GET /config': () => this.config,
    'POST /control/state': (body) => this.control(body),
    'POST /control/action': (body) => this.act(body),
    'POST /monitor/metrics': (body) => this.metrics(body),
    'POST /monitor/states': (body) => this.states(body),
    'POST /monitor/capture': (body) => this.capture(body),
    'GET /capabilities/version': () => ({
      api_spec_version: API_VERSION,
      sdk_version: API_VERSION,
      app_version: API_VERSION,
    }),
  };

  constructor(private readonly lab: Lab) {
    this.server = createServer((request, response) => {
      // A client that leaves in the middle of its request gets no answer.
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  /** The port that it listens on. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        const address = this.server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const { status, body } = text === null ? tooLong() : this.handle(request, text);
    const isFile = body instanceof Uint8Array;
    const type = isFile ? 'application/octet-stream' : 'application/json';
    response.writeHead(status, { 'content-type': type });
    response.end(isFile ? body : JSON.stringify(body));
  }

  private handle({ method = '', url = '' }: IncomingMessage, text: string): Answer {
    const call = `${method} ${url.replace(/[?#].*$/, '')}`;
    const handler = this.handlers[call];
    if (handler === undefined) {
      const known = Object.keys(this.handlers).join(', ');
      return refused(404, [`${call} is not supported: ${known}`]);
    }
    try {
      return { status: 200, body: handler(text === '' ? {} : JSON.parse(text)) };
    } catch (error) {
      if (error instanceof RefusedError) return refused(400, error.reasons);
      if (error instanceof SyntaxError) return refused(400, [`no JSON: ${error.message}`]);
      if (error instanceof ScenarioError) return refused(400, [error.problem]);
      return refused(500, [(error as Error).message]);
    }
  }

  private setConfig(body: unknown): unknown {
    const { config, errors } = configFrom(body);
    if (errors.length > 0) throw new RefusedError(errors);
    this.lab.configure(config);
    this.config = body;
    return DONE;
  }

  private control(body: unknown): unknown {
    const errors: string[] = [];
    const root = Part.of(body, '', errors);
    const choice = root.chosen('traffic', ['traffic', 'protocol', 'port']);
    const part = root.part(choice);
    const capture = choice === 'port' ? captureStateOf(part) : null;
    const state =
      choice === 'traffic' ? trafficOf(part) : choice === 'protocol' ? protocolsOf(part) : null;
    root.end();
    if (errors.length > 0) throw new RefusedError(errors);
    if (state?.word === 'start') this.lab.start(state.flows);
    if (state?.word === 'stop') this.lab.stop(state.flows);
    if (capture !== null) this.lab.setCaptures(capture.ports, capture.word === 'start');
    return DONE;
  }

  /** There are no protocols to act on: each action is refused by its name. */
  private act(body: unknown): unknown {
    const errors: string[] = [];
    const root = Part.of(body, '', errors);
    const choice = root.text('choice', 'protocol');
    const what = root.has(choice) ? root.part(choice).text('choice') : '';
    const path = what === '' ? choice : `${choice}.${what}`;
    throw new RefusedError([`${path}: is not supported`]);
  }

  /** What is known of neighbours: that of each interface, as soon as it is configured. */
  private states(body: unknown): unknown {
    const errors: string[] = [];
    const root = Part.of(body, '', errors);
    const choice = root.chosen('ipv4_neighbors', ['ipv4_neighbors']);
    const part = root.part(choice);
    const names = part.texts('ethernet_names');
    part.end();
    root.end();
    if (errors.length > 0) throw new RefusedError(errors);
    return {
      choice,
      ipv4_neighbors: this.lab.neighborsOf(names).map(({ ethernet, gateway, mac }) => ({
        ...{ ethernet_name: ethernet, ipv4_address: gateway, link_layer_address: mac },
      })),
    };
  }

  private capture(body: unknown): Uint8Array {
    const errors: string[] = [];
    const root = Part.of(body, '', errors);
    const port = root.text('port_name');
    root.end();
    if (errors.length > 0) throw new RefusedError(errors);
    return this.lab.captureOf(port);
  }

  private metrics(body: unknown): unknown {
    const errors: string[] = [];
    const root = Part.of(body, '', errors);
    const choice = root.chosen('port', ['port', 'flow']);
    const part = root.part(choice);
    const names = part.texts(choice === 'port' ? 'port_names' : 'flow_names');
    part.accept('column_names', 'metric_names');
    part.end();
    root.end();
    if (errors.length > 0) throw new RefusedError(errors);
    if (choice === 'flow') {
      return { choice: 'flow_metrics', flow_metrics: this.lab.flowMetrics(names).map(ofFlow) };
    }
    return { choice: 'port_metrics', port_metrics: this.lab.portMetrics(names).map(ofPort) };
  }
}

interface Traffic {
  readonly word: string;
  readonly flows: readonly string[];
}

function trafficOf(part: Part): Traffic {
  part.chosen('flow_transmit', ['flow_transmit']);
  const transmit = part.part('flow_transmit');
  const flows = transmit.texts('flow_names');
  const word = transmit.text('state');
  if (word !== 'start' && word !== 'stop') {
    transmit.error('state', `${word} is not supported: start, stop`);
  }
  transmit.end();
  part.end();
  return { word, flows };
}

/** Links stay up here: of ports only captures have a state. */
function captureStateOf(part: Part): { readonly word: string; readonly ports: readonly string[] } {
  part.chosen('capture', ['capture']);
  const capture = part.part('capture');
  const ports = capture.texts('port_names');
  const word = capture.text('state');
  if (word !== 'start' && word !== 'stop') {
    capture.error('state', `${word} is not supported: start, stop`);
  }
  capture.end();
  part.end();
  return { word, ports };
}

/** Hosts have no protocols to start: they are there. */
function protocolsOf(part: Part): null {
  part.chosen('all', ['all']);
  const all = part.part('all');
  all.accept('state');
  all.end();
  part.end();
  return null;
}

function ofFlow(own: FlowMetrics): object {
  const lost = Math.max(0, own.framesTx - own.framesRx);
  return {
    ...{ name: own.name, port_tx: own.portTx, port_rx: own.portRx },
    transmit: own.isTransmitting ? 'started' : 'stopped',
    ...{ frames_tx: own.framesTx, frames_rx: own.framesRx },
    ...{ bytes_tx: own.bytesTx, bytes_rx: own.bytesRx },
    ...{ frames_tx_rate: own.rateTx, frames_rx_rate: own.rateRx },
    loss: own.framesTx === 0 ? 0 : (100 * lost) / own.framesTx,
  };
}

function ofPort(own: PortMetrics): object {
  return {
    ...{ name: own.name, location: own.location, link: 'up' },
    ...{ capture: own.isCapturing ? 'started' : 'stopped' },
    ...{ frames_tx: own.framesTx, frames_rx: own.framesRx },
    ...{ bytes_tx: own.bytesTx, bytes_rx: own.bytesRx },
  };
}

/** Null: there is more of it than any request has. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    const octets = piece as Buffer;
    length += octets.length;
    if (length <= BODY_MOST) pieces.push(octets);
  }
  return length > BODY_MOST ? null : Buffer.concat(pieces).toString('utf8');
}

function tooLong(): Answer {
  return refused(413, [`the body is longer than ${BODY_MOST} bytes`]);
}

/** As the model has errors. */
function refused(status: number, errors: readonly string[]): Answer {
  const kind = status < 500 ? 'validation' : 'internal';
  return { status, body: { code: status, kind, errors } };
}
