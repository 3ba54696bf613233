import type { FramePool } from '../frame/frame-pool.js';
import type { Probe } from './probe.js';

/**
 * Tells several listeners, in their order. Arguments are written out: gathering them costs more
 * than most listeners do.
 */
export class ProbeFanOut implements Probe {
  constructor(private readonly listeners: readonly Probe[]) {}

  frameReceived(device: number, port: number, now: number, pool: FramePool, frame: number): void {
    for (const listener of this.listeners) listener.frameReceived(device, port, now, pool, frame);
  }

  frameDropped(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    reason: number,
  ): void {
    for (const listener of this.listeners)
      listener.frameDropped(device, port, now, pool, frame, reason);
  }

  frameMarked(device: number, port: number, now: number, pool: FramePool, frame: number): void {
    for (const listener of this.listeners) listener.frameMarked(device, port, now, pool, frame);
  }

  frameQueued(
    device: number,
    ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    for (const listener of this.listeners)
      listener.frameQueued(device, ingress, egress, now, pool, frame);
  }

  frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    trafficClass: number,
    eligible: number,
  ): void {
    for (const listener of this.listeners)
      listener.frameSent(device, port, now, pool, frame, trafficClass, eligible);
  }

  frameDiscarded(device: number, port: number, now: number, pool: FramePool, frame: number): void {
    for (const listener of this.listeners) listener.frameDiscarded(device, port, now, pool, frame);
  }

  frameKept(device: number, now: number, pool: FramePool, frame: number): void {
    for (const listener of this.listeners) listener.frameKept(device, now, pool, frame);
  }

  frameTaken(device: number, now: number, pool: FramePool, frame: number): void {
    for (const listener of this.listeners) listener.frameTaken(device, now, pool, frame);
  }

  watchdogActed(device: number, port: number, now: number, priority: number, on: boolean): void {
    for (const listener of this.listeners) {
      listener.watchdogActed(device, port, now, priority, on);
    }
  }

  controlSent(device: number, port: number, now: number, octets: Uint8Array): void {
    for (const listener of this.listeners) listener.controlSent(device, port, now, octets);
  }

  tagSent(device: number, port: number, now: number, octets: Uint8Array): void {
    for (const listener of this.listeners) listener.tagSent(device, port, now, octets);
  }

  controlReceived(device: number, port: number, now: number, octets: Uint8Array): void {
    for (const listener of this.listeners) listener.controlReceived(device, port, now, octets);
  }

  stopAsked(device: number, port: number, now: number, group: number, stop: boolean): void {
    for (const listener of this.listeners) listener.stopAsked(device, port, now, group, stop);
  }

  creditStep(
    device: number,
    port: number,
    now: number,
    step: number,
    priority: number,
    channel: number,
    units: number,
  ): void {
    for (const listener of this.listeners)
      listener.creditStep(device, port, now, step, priority, channel, units);
  }

  heldChanged(device: number, port: number, now: number, priorities: number): void {
    for (const listener of this.listeners) listener.heldChanged(device, port, now, priorities);
  }

  creditShort(
    device: number,
    port: number,
    now: number,
    priority: number,
    channel: number,
    short: boolean,
  ): void {
    for (const listener of this.listeners)
      listener.creditShort(device, port, now, priority, channel, short);
  }

  messageDelivered(device: number, now: number, flow: number, message: number): void {
    for (const listener of this.listeners) listener.messageDelivered(device, now, flow, message);
  }

  nicGranted(
    device: number,
    now: number,
    arbiter: number,
    party: number,
    octets: number,
    eligible: number,
  ): void {
    for (const listener of this.listeners)
      listener.nicGranted(device, now, arbiter, party, octets, eligible);
  }

  ledChanged(...heard: Parameters<Probe['ledChanged']>): void {
    for (const listener of this.listeners) listener.ledChanged(...heard);
  }
}
