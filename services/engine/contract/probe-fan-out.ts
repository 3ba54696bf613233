import type { Probe } from './probe.js';

/** Tells several listeners, in their order. */
export class ProbeFanOut implements Probe {
  constructor(private readonly listeners: readonly Probe[]) {}

  frameReceived(...heard: Parameters<Probe['frameReceived']>): void {
    for (const listener of this.listeners) listener.frameReceived(...heard);
  }

  frameDropped(...heard: Parameters<Probe['frameDropped']>): void {
    for (const listener of this.listeners) listener.frameDropped(...heard);
  }

  frameMarked(...heard: Parameters<Probe['frameMarked']>): void {
    for (const listener of this.listeners) listener.frameMarked(...heard);
  }

  frameQueued(...heard: Parameters<Probe['frameQueued']>): void {
    for (const listener of this.listeners) listener.frameQueued(...heard);
  }

  frameSent(...heard: Parameters<Probe['frameSent']>): void {
    for (const listener of this.listeners) listener.frameSent(...heard);
  }

  frameDiscarded(...heard: Parameters<Probe['frameDiscarded']>): void {
    for (const listener of this.listeners) listener.frameDiscarded(...heard);
  }

  watchdogActed(...heard: Parameters<Probe['watchdogActed']>): void {
    for (const listener of this.listeners) listener.watchdogActed(...heard);
  }

  controlSent(...heard: Parameters<Probe['controlSent']>): void {
    for (const listener of this.listeners) listener.controlSent(...heard);
  }

  tagSent(...heard: Parameters<Probe['tagSent']>): void {
    for (const listener of this.listeners) listener.tagSent(...heard);
  }

  controlReceived(...heard: Parameters<Probe['controlReceived']>): void {
    for (const listener of this.listeners) listener.controlReceived(...heard);
  }

  stopAsked(...heard: Parameters<Probe['stopAsked']>): void {
    for (const listener of this.listeners) listener.stopAsked(...heard);
  }

  creditStep(...heard: Parameters<Probe['creditStep']>): void {
    for (const listener of this.listeners) listener.creditStep(...heard);
  }

  heldChanged(...heard: Parameters<Probe['heldChanged']>): void {
    for (const listener of this.listeners) listener.heldChanged(...heard);
  }

  creditShort(...heard: Parameters<Probe['creditShort']>): void {
    for (const listener of this.listeners) listener.creditShort(...heard);
  }

  messageDelivered(...heard: Parameters<Probe['messageDelivered']>): void {
    for (const listener of this.listeners) listener.messageDelivered(...heard);
  }

  ledChanged(...heard: Parameters<Probe['ledChanged']>): void {
    for (const listener of this.listeners) listener.ledChanged(...heard);
  }
}
