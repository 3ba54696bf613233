import type { HoldReason } from '../../services/engine/contract/flow-control.js';
import type { MechanismKind, MechanismTools } from '../../services/engine/contract/slice.js';
import { field } from '../../services/engine/kernel/fields.js';
import { SHAPE } from '../../services/engine/kernel/kinds.js';
import { readU16 } from '../../services/engine/wire/big-endian.js';

export const stopAndGo: MechanismKind = {
  name: 'stop-and-go',
  slot: 11,
  create: (tools) => new StopAndGo(tools),
};

class StopAndGo {
  readonly name = 'stop-and-go';
  /** By port: priority groups that are full, here and at the link partner; one bit each. */
  private readonly full: Uint8Array;
  private readonly fullThere: Uint8Array;

  constructor(private readonly tools: MechanismTools) {
    this.full = tools.tables.uint8('port', field('full', SHAPE));
    this.fullThere = tools.tables.uint8('port', field('full there', SHAPE));
  }

  rulesGroup(): boolean {
    return true;
  }

  admitted(port: number, group: number): void {
    if (this.tools.accounts.atXoff(port, group)) this.turn(port, group, true);
  }

  released(port: number, group: number): void {
    if (this.tools.accounts.atXon(port, group)) this.turn(port, group, false);
  }

  private turn(port: number, group: number, isFull: boolean): void {
    const { accounts, host, slot } = this.tools;
    if (isFull === ((this.full[port]! & (1 << group)) !== 0)) return;
    this.full[port]! ^= 1 << group;
    accounts.setPaused(port, group, isFull);
    host.requestControl(slot, port);
  }

  compose(port: number, _end: number, octets: Uint8Array): number {
    octets.set([0x88, 0xb5, this.full[port]!], 12);
    return 15;
  }

  receiveControl(port: number, octets: Uint8Array): boolean {
    if (readU16(octets, 12) !== 0x88b5) return false;
    this.fullThere[port] = octets[14]!;
    this.tools.host.hold(this.tools.slot, port, this.fullThere[port]);
    return true;
  }

  holdReason(port: number, priority: number): HoldReason | null {
    if ((this.fullThere[port]! & (1 << priority)) === 0) return null;
    return { mechanism: this.name, untilPs: Infinity, sincePs: null };
  }
}
