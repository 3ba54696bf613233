import type { WspArbiter } from '../../engine/arbiter/wsp-arbiter.js';
import { NIC_ARBITER } from '../../engine/contract/probe.js';
import type { Nic82599 } from '../../engine/nic-82599/nic.js';
import { classOfRegister } from '../../engine/nic-82599/refill-rule.js';
import type { NicShares } from '../nic-slice.js';
import { MachineShares } from './machine-shares.js';
import { PlaneShares } from './plane-shares.js';

type ClassRegister = 'RTTDT2C' | 'RTTPT2C' | 'RTRPT4C';

const MACHINE_GOT_MORE = 'a virtual machine got more than its share of its class';

/** Shares of classes and virtual machines in an 82599, compared with its registers. */
export class Nic82599Shares implements NicShares {
  private packet: PlaneShares;
  private descriptor: PlaneShares;
  private receive: PlaneShares;
  private machines: readonly MachineShares[];
  /** Register writes that changed the shares: after another one the comparison begins anew. */
  private writes: number;

  constructor(private readonly nic: Nic82599) {
    this.writes = nic.writes;
    this.packet = this.packetPlane();
    this.descriptor = this.descriptorPlane();
    this.receive = this.receivePlane();
    this.machines = this.machineTurns();
  }

  sent(tc: number, octets: number, eligible: number): string | null {
    this.follow();
    return this.packet.breach(tc, octets, eligible);
  }

  granted(arbiter: number, party: number, octets: number, eligible: number): string | null {
    this.follow();
    switch (arbiter) {
      case NIC_ARBITER.DESCRIPTOR_PLANE:
        return this.descriptor.breach(party, octets, eligible);
      case NIC_ARBITER.RECEIVE_PLANE:
        return this.receive.breach(party, octets, eligible);
      default:
        return this.machines[arbiter].isFair(party, octets) ? null : MACHINE_GOT_MORE;
    }
  }

  /** Software may have written registers since. */
  private follow(): void {
    const { writes } = this.nic;
    if (this.writes === writes) return;
    this.writes = writes;
    this.packet = this.packetPlane();
    this.descriptor = this.descriptorPlane();
    this.receive = this.receivePlane();
    this.machines = this.machineTurns();
  }

  private packetPlane(): PlaneShares {
    const { registers, packetPlane } = this.nic;
    const weighted = registers.field('RTTPCS', 'TPPAC') === 1;
    const recycle = registers.field('RTTPCS', 'TPRM') === 1;
    return this.plane(packetPlane.classes, 'RTTPT2C', weighted, recycle);
  }

  private descriptorPlane(): PlaneShares {
    const { registers, descriptorPlane } = this.nic;
    const weighted = registers.field('RTTDCS', 'TDPAC') === 1;
    const recycle = registers.field('RTTDCS', 'TDRM') === 1;
    return this.plane(descriptorPlane, 'RTTDT2C', weighted, recycle);
  }

  private receivePlane(): PlaneShares {
    const { registers, receivePlane } = this.nic;
    const weighted = registers.field('RTRPCS', 'RAC') === 1;
    const recycle = registers.field('RTRPCS', 'RRM') === 1;
    return this.plane(receivePlane, 'RTRPT4C', weighted, recycle);
  }

  private plane(
    arbiter: WspArbiter,
    register: ClassRegister,
    weighted: boolean,
    recycle: boolean,
  ): PlaneShares {
    const { registers } = this.nic;
    const rows = Array.from({ length: 8 }, (_, tc) => classOfRegister(registers.get(register, tc)));
    return new PlaneShares(arbiter, rows, { weighted, recycle });
  }

  private machineTurns(): MachineShares[] {
    const { registers, vms } = this.nic;
    const weighted = registers.field('RTTDCS', 'VMPAC') === 1;
    return vms.map((arbiter, tc) => {
      const refills = Array.from(arbiter.credit, (_, vm) =>
        registers.field('RTTDT1C', 'CRQ', this.nic.queueOf(vm, tc)),
      );
      return new MachineShares(arbiter, weighted ? refills : null);
    });
  }
}
