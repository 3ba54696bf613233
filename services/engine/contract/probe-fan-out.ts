import type { FramePool } from '../frame/frame-pool.js';
import type { Probe } from './probe.js';
import type { FrameRef, Priority, TrafficClass } from '../units/indices.js';

/**
 * Calls two probes, one after the other; one of them may be a fan-out again. Arguments are written
 * out: rest arguments, or a list of probes, cost more than most probes do.
 */
export class ProbeFanOut implements Probe {
  constructor(
    private readonly first: Probe,
    private readonly second: Probe,
  ) {}

  frameReceived(device: number, port: number, now: number, pool: FramePool, frame: FrameRef): void {
    this.first.frameReceived(device, port, now, pool, frame);
    this.second.frameReceived(device, port, now, pool, frame);
  }

  frameDropped(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    reason: number,
  ): void {
    this.first.frameDropped(device, port, now, pool, frame, reason);
    this.second.frameDropped(device, port, now, pool, frame, reason);
  }

  frameMarked(device: number, port: number, now: number, pool: FramePool, frame: FrameRef): void {
    this.first.frameMarked(device, port, now, pool, frame);
    this.second.frameMarked(device, port, now, pool, frame);
  }

  frameQueued(
    device: number,
    ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
  ): void {
    this.first.frameQueued(device, ingress, egress, now, pool, frame);
    this.second.frameQueued(device, ingress, egress, now, pool, frame);
  }

  queueLong(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    trafficClass: TrafficClass,
  ): void {
    this.first.queueLong(device, port, now, pool, frame, trafficClass);
    this.second.queueLong(device, port, now, pool, frame, trafficClass);
  }

  frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    trafficClass: TrafficClass,
    eligible: number,
  ): void {
    this.first.frameSent(device, port, now, pool, frame, trafficClass, eligible);
    this.second.frameSent(device, port, now, pool, frame, trafficClass, eligible);
  }

  frameSentAgain(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    number: number,
  ): void {
    this.first.frameSentAgain(device, port, now, pool, frame, number);
    this.second.frameSentAgain(device, port, now, pool, frame, number);
  }

  frameRejected(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
    reason: number,
  ): void {
    this.first.frameRejected(device, port, now, pool, frame, reason);
    this.second.frameRejected(device, port, now, pool, frame, reason);
  }

  frameDiscarded(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: FrameRef,
  ): void {
    this.first.frameDiscarded(device, port, now, pool, frame);
    this.second.frameDiscarded(device, port, now, pool, frame);
  }

  frameKept(device: number, now: number, pool: FramePool, frame: FrameRef): void {
    this.first.frameKept(device, now, pool, frame);
    this.second.frameKept(device, now, pool, frame);
  }

  frameTaken(device: number, now: number, pool: FramePool, frame: FrameRef): void {
    this.first.frameTaken(device, now, pool, frame);
    this.second.frameTaken(device, now, pool, frame);
  }

  watchdogActed(device: number, port: number, now: number, priority: Priority, on: boolean): void {
    this.first.watchdogActed(device, port, now, priority, on);
    this.second.watchdogActed(device, port, now, priority, on);
  }

  controlSent(device: number, port: number, now: number, octets: Uint8Array): void {
    this.first.controlSent(device, port, now, octets);
    this.second.controlSent(device, port, now, octets);
  }

  tagSent(device: number, port: number, now: number, octets: Uint8Array): void {
    this.first.tagSent(device, port, now, octets);
    this.second.tagSent(device, port, now, octets);
  }

  controlReceived(device: number, port: number, now: number, octets: Uint8Array): void {
    this.first.controlReceived(device, port, now, octets);
    this.second.controlReceived(device, port, now, octets);
  }

  stopAsked(device: number, port: number, now: number, group: number, stop: boolean): void {
    this.first.stopAsked(device, port, now, group, stop);
    this.second.stopAsked(device, port, now, group, stop);
  }

  grantStep(
    device: number,
    port: number,
    now: number,
    step: number,
    priority: Priority,
    channel: number,
    units: number,
  ): void {
    this.first.grantStep(device, port, now, step, priority, channel, units);
    this.second.grantStep(device, port, now, step, priority, channel, units);
  }

  blockedChanged(device: number, port: number, now: number, priorities: number): void {
    this.first.blockedChanged(device, port, now, priorities);
    this.second.blockedChanged(device, port, now, priorities);
  }

  grantShort(
    device: number,
    port: number,
    now: number,
    priority: Priority,
    channel: number,
    short: boolean,
  ): void {
    this.first.grantShort(device, port, now, priority, channel, short);
    this.second.grantShort(device, port, now, priority, channel, short);
  }

  noticeActed(
    device: number,
    port: number,
    now: number,
    priority: Priority,
    queueMac: number,
  ): void {
    this.first.noticeActed(device, port, now, priority, queueMac);
    this.second.noticeActed(device, port, now, priority, queueMac);
  }

  queueActed(
    device: number,
    port: number,
    now: number,
    trafficClass: TrafficClass,
    priority: Priority,
  ): void {
    this.first.queueActed(device, port, now, trafficClass, priority);
    this.second.queueActed(device, port, now, trafficClass, priority);
  }

  liveSent(device: number, port: number, now: number, octets: Uint8Array, isMarked: boolean): void {
    this.first.liveSent(device, port, now, octets, isMarked);
    this.second.liveSent(device, port, now, octets, isMarked);
  }

  messageDelivered(device: number, now: number, flow: number, message: number): void {
    this.first.messageDelivered(device, now, flow, message);
    this.second.messageDelivered(device, now, flow, message);
  }

  nicGranted(
    device: number,
    now: number,
    arbiter: number,
    party: number,
    octets: number,
    eligible: number,
  ): void {
    this.first.nicGranted(device, now, arbiter, party, octets, eligible);
    this.second.nicGranted(device, now, arbiter, party, octets, eligible);
  }

  ledChanged(...change: Parameters<Probe['ledChanged']>): void {
    this.first.ledChanged(...change);
    this.second.ledChanged(...change);
  }
}
