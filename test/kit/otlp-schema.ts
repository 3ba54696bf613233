/**
 * The published schema of OTLP 1.x (opentelemetry/proto: trace, metrics, resource and common, v1),
 * as far as traces and metrics need it: by message, the number, name and type of each field.
 */

type Field = readonly [number, string, string];

const MESSAGES: Readonly<Record<string, readonly Field[]>> = {
  ExportTraceServiceRequest: [[1, 'resourceSpans', 'ResourceSpans']],
  ResourceSpans: [
    [1, 'resource', 'Resource'],
    [2, 'scopeSpans', 'ScopeSpans'],
    [3, 'schemaUrl', 'string'],
  ],
  Resource: [
    [1, 'attributes', 'KeyValue'],
    [2, 'droppedAttributesCount', 'uint32'],
  ],
  ScopeSpans: [
    [1, 'scope', 'InstrumentationScope'],
    [2, 'spans', 'Span'],
    [3, 'schemaUrl', 'string'],
  ],
  InstrumentationScope: [
    [1, 'name', 'string'],
    [2, 'version', 'string'],
    [3, 'attributes', 'KeyValue'],
    [4, 'droppedAttributesCount', 'uint32'],
  ],
  Span: [
    [1, 'traceId', 'bytes16'],
    [2, 'spanId', 'bytes8'],
    [3, 'traceState', 'string'],
    [4, 'parentSpanId', 'bytes8'],
    [5, 'name', 'string'],
    [6, 'kind', 'enum'],
    [7, 'startTimeUnixNano', 'fixed64'],
    [8, 'endTimeUnixNano', 'fixed64'],
    [9, 'attributes', 'KeyValue'],
    [10, 'droppedAttributesCount', 'uint32'],
    [11, 'events', 'Event'],
    [12, 'droppedEventsCount', 'uint32'],
    [13, 'links', 'Link'],
    [14, 'droppedLinksCount', 'uint32'],
    [15, 'status', 'Status'],
    [16, 'flags', 'fixed32'],
  ],
  Event: [
    [1, 'timeUnixNano', 'fixed64'],
    [2, 'name', 'string'],
    [3, 'attributes', 'KeyValue'],
    [4, 'droppedAttributesCount', 'uint32'],
  ],
  Link: [
    [1, 'traceId', 'bytes16'],
    [2, 'spanId', 'bytes8'],
    [3, 'traceState', 'string'],
    [4, 'attributes', 'KeyValue'],
    [5, 'droppedAttributesCount', 'uint32'],
    [6, 'flags', 'fixed32'],
  ],
  Status: [
    [2, 'message', 'string'],
    [3, 'code', 'enum'],
  ],
  KeyValue: [
    [1, 'key', 'string'],
    [2, 'value', 'AnyValue'],
  ],
  AnyValue: [
    [1, 'stringValue', 'string'],
    [2, 'boolValue', 'bool'],
    [3, 'intValue', 'int64'],
    [4, 'doubleValue', 'double'],
  ],
  ExportMetricsServiceRequest: [[1, 'resourceMetrics', 'ResourceMetrics']],
  ResourceMetrics: [
    [1, 'resource', 'Resource'],
    [2, 'scopeMetrics', 'ScopeMetrics'],
    [3, 'schemaUrl', 'string'],
  ],
  ScopeMetrics: [
    [1, 'scope', 'InstrumentationScope'],
    [2, 'metrics', 'Metric'],
    [3, 'schemaUrl', 'string'],
  ],
  Metric: [
    [1, 'name', 'string'],
    [2, 'description', 'string'],
    [3, 'unit', 'string'],
    [5, 'gauge', 'Gauge'],
    [7, 'sum', 'Sum'],
    [9, 'histogram', 'Histogram'],
  ],
  Histogram: [
    [1, 'dataPoints', 'HistogramDataPoint'],
    [2, 'aggregationTemporality', 'enum'],
  ],
  HistogramDataPoint: [
    [9, 'attributes', 'KeyValue'],
    [2, 'startTimeUnixNano', 'fixed64'],
    [3, 'timeUnixNano', 'fixed64'],
    [4, 'count', 'fixed64'],
    [5, 'sum', 'double'],
    [6, 'bucketCounts', 'packed'],
    [7, 'explicitBounds', 'packed'],
    [10, 'flags', 'uint32'],
    [11, 'min', 'double'],
    [12, 'max', 'double'],
  ],
  Gauge: [[1, 'dataPoints', 'NumberDataPoint']],
  Sum: [
    [1, 'dataPoints', 'NumberDataPoint'],
    [2, 'aggregationTemporality', 'enum'],
    [3, 'isMonotonic', 'bool'],
  ],
  NumberDataPoint: [
    [7, 'attributes', 'KeyValue'],
    [2, 'startTimeUnixNano', 'fixed64'],
    [3, 'timeUnixNano', 'fixed64'],
    [4, 'asDouble', 'double'],
    [6, 'asInt', 'fixed64'],
    [8, 'flags', 'uint32'],
  ],
};

const VARINT = 0;
const EIGHT_OCTETS = 1;
const LENGTH_FIRST = 2;
const FOUR_OCTETS = 5;
const WIRE_TYPES: Readonly<Record<string, number>> = {
  ...{ uint32: VARINT, int64: VARINT, enum: VARINT, bool: VARINT },
  ...{ fixed64: EIGHT_OCTETS, double: EIGHT_OCTETS, fixed32: FOUR_OCTETS },
};
const ID_OCTETS: Readonly<Record<string, number>> = { bytes8: 8, bytes16: 16 };

/** Reads every octet of a message; throws at the first that the schema does not know. */
export function checkOctets(octets: Uint8Array, message: string): void {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let place = 1; ; place *= 128) {
      const octet = octets[at++];
      if (octet === undefined) throw new Error(`${message} ends within a number`);
      value += (octet & 0x7f) * place;
      if (octet < 0x80) return value;
    }
  };
  while (at < octets.length) {
    const tag = varint();
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    const field = MESSAGES[message]!.find(([own]) => own === number);
    if (field === undefined) throw new Error(`${message} has no field ${number}`);
    const [, name, type] = field;
    const expected = WIRE_TYPES[type] ?? LENGTH_FIRST;
    if (wire !== expected) throw new Error(`${message}.${name} has wire type ${wire}`);
    if (wire === VARINT) varint();
    else {
      const length = wire === EIGHT_OCTETS ? 8 : wire === FOUR_OCTETS ? 4 : varint();
      const value = octets.subarray(at, at + length);
      at += length;
      if (value.length < length) throw new Error(`${message}.${name} is cut off`);
      if (type === 'string') new TextDecoder('utf-8', { fatal: true }).decode(value);
      else if (type in ID_OCTETS) checkId(`${message}.${name}`, value.length, ID_OCTETS[type]!);
      else if (type in MESSAGES) checkOctets(value, type);
    }
  }
}

/** The same in JSON, where fields have names and identifiers are hexadecimal. */
export function checkJson(value: unknown, message: string): void {
  for (const [name, own] of Object.entries(value as object)) {
    const field = MESSAGES[message]!.find(([, known]) => known === name);
    if (field === undefined) throw new Error(`${message} has no field ${name}`);
    const [, , type] = field;
    for (const item of Array.isArray(own) ? (own as unknown[]) : [own]) {
      if (type in MESSAGES) checkJson(item, type);
      else if (type in ID_OCTETS) checkId(name, (item as string).length, 2 * ID_OCTETS[type]!);
    }
  }
}

function checkId(name: string, length: number, expected: number): void {
  if (length !== expected && length !== 0) throw new Error(`${name} has ${length} octets`);
}
