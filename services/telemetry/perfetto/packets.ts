import protobuf from 'protobufjs/minimal.js';
import { PS_PER_NS } from '../../engine/units/time.js';

/** Details of a slice; Perfetto calls them debug annotations. */
export type Details = Readonly<Record<string, string | number>>;

interface TrackPacket {
  readonly track: number;
  /** 0: it has none. */
  readonly parent: number;
  readonly name: string;
  /** Place among the tracks of its parent. */
  readonly rank: number;
  /** Unit of a counter; null: a track of slices. */
  readonly counter: string | null;
}

interface BeginPacket {
  readonly track: number;
  readonly timePs: number;
  readonly name: string;
  readonly category: string;
  readonly details: Details;
  /** Arrows that begin here, and those that end here. */
  readonly flowsOut: readonly number[];
  readonly flowsIn: readonly number[];
}

/** A moment of a track: the end of its innermost slice, or the value of a counter. */
interface MomentPacket {
  readonly track: number;
  readonly timePs: number;
}

// Tags of fields, number and wire type, as protos/perfetto/trace/perfetto_trace.proto has them.

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

const tag = (field: number, type: number): number => (field << 3) | type;

const TRACE_PACKET = tag(1, LENGTH);

const PACKET = {
  TIMESTAMP: tag(8, VARINT),
  SEQUENCE_ID: tag(10, VARINT),
  TRACK_EVENT: tag(11, LENGTH),
  SEQUENCE_FLAGS: tag(13, VARINT),
  TRACK_DESCRIPTOR: tag(60, LENGTH),
};

const DESCRIPTOR = {
  UUID: tag(1, VARINT),
  NAME: tag(2, LENGTH),
  PARENT_UUID: tag(5, VARINT),
  COUNTER: tag(8, LENGTH),
  CHILD_ORDERING: tag(11, VARINT),
  SIBLING_ORDER_RANK: tag(12, VARINT),
};

const COUNTER = { UNIT: tag(3, VARINT), UNIT_NAME: tag(6, LENGTH) };
const UNIT_SIZE_BYTES = 3;
const ORDERING_EXPLICIT = 3;

const EVENT = {
  ANNOTATION: tag(4, LENGTH),
  TYPE: tag(9, VARINT),
  TRACK_UUID: tag(11, VARINT),
  CATEGORY: tag(22, LENGTH),
  NAME: tag(23, LENGTH),
  COUNTER_VALUE: tag(30, VARINT),
  FLOW_ID: tag(47, FIXED64),
  TERMINATING_FLOW_ID: tag(48, FIXED64),
};

const TYPE = { BEGIN: 1, END: 2, INSTANT: 3, COUNTER: 4 };

const ANNOTATION = {
  INT: tag(4, VARINT),
  DOUBLE: tag(5, FIXED64),
  STRING: tag(6, LENGTH),
  NAME: tag(10, LENGTH),
};

/** All packets come from one writer, so that those of one time stay in the order of the file. */
const SEQUENCE = 1;
const INCREMENTAL_STATE_CLEARED = 1;

/** Packets of a trace of Perfetto, as octets; times are cut to nanoseconds. */
export class PacketWriter {
  private writer = protobuf.Writer.create();
  private isFirst = true;

  track({ track, parent, name, rank, counter }: TrackPacket): void {
    const writer = this.open().uint32(PACKET.TRACK_DESCRIPTOR).fork();
    writer.uint32(DESCRIPTOR.UUID).uint64(track).uint32(DESCRIPTOR.NAME).string(name);
    if (parent > 0) writer.uint32(DESCRIPTOR.PARENT_UUID).uint64(parent);
    writer.uint32(DESCRIPTOR.SIBLING_ORDER_RANK).int32(rank);
    if (counter === null) writer.uint32(DESCRIPTOR.CHILD_ORDERING).int32(ORDERING_EXPLICIT);
    else {
      writer.uint32(DESCRIPTOR.COUNTER).fork();
      if (counter === 'bytes') writer.uint32(COUNTER.UNIT).int32(UNIT_SIZE_BYTES);
      else writer.uint32(COUNTER.UNIT_NAME).string(counter);
      writer.ldelim();
    }
    writer.ldelim();
    this.close();
  }

  begin(packet: BeginPacket): void {
    this.named(packet, TYPE.BEGIN);
  }

  /** Something that takes no time. */
  instant(packet: BeginPacket): void {
    this.named(packet, TYPE.INSTANT);
  }

  end(packet: MomentPacket): void {
    this.event(packet, TYPE.END).ldelim();
    this.close();
  }

  count(packet: MomentPacket, value: number): void {
    this.event(packet, TYPE.COUNTER).uint32(EVENT.COUNTER_VALUE).int64(value).ldelim();
    this.close();
  }

  /** What was written since the last call. */
  take(): Uint8Array {
    const octets = this.writer.finish();
    this.writer = protobuf.Writer.create();
    return octets;
  }

  private named(packet: BeginPacket, type: number): void {
    const { name, category, details, flowsOut, flowsIn } = packet;
    const writer = this.event(packet, type);
    writer.uint32(EVENT.CATEGORY).string(category).uint32(EVENT.NAME).string(name);
    for (const [key, value] of Object.entries(details)) {
      writer.uint32(EVENT.ANNOTATION).fork().uint32(ANNOTATION.NAME).string(key);
      if (typeof value === 'string') writer.uint32(ANNOTATION.STRING).string(value);
      else if (Number.isSafeInteger(value)) writer.uint32(ANNOTATION.INT).int64(value);
      else writer.uint32(ANNOTATION.DOUBLE).double(value);
      writer.ldelim();
    }
    for (const flow of flowsOut) writer.uint32(EVENT.FLOW_ID).fixed64(flow);
    for (const flow of flowsIn) writer.uint32(EVENT.TERMINATING_FLOW_ID).fixed64(flow);
    writer.ldelim();
    this.close();
  }

  private event({ track, timePs }: MomentPacket, type: number): protobuf.Writer {
    return this.open()
      .uint32(PACKET.TIMESTAMP)
      .uint64(Math.floor(timePs / PS_PER_NS))
      .uint32(PACKET.TRACK_EVENT)
      .fork()
      .uint32(EVENT.TYPE)
      .int32(type)
      .uint32(EVENT.TRACK_UUID)
      .uint64(track);
  }

  private open(): protobuf.Writer {
    const writer = this.writer.uint32(TRACE_PACKET).fork();
    writer.uint32(PACKET.SEQUENCE_ID).uint32(SEQUENCE);
    if (this.isFirst) writer.uint32(PACKET.SEQUENCE_FLAGS).uint32(INCREMENTAL_STATE_CLEARED);
    this.isFirst = false;
    return writer;
  }

  private close(): void {
    this.writer.ldelim();
  }
}
