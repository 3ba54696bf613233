import type { SendSpec } from '../../engine/contract/spec.js';
import { PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import { PRIORITIES } from '../../engine/units/ethernet.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import type { FabricContext, MechanismPlan } from '../fabric-context.js';
import { maskOf } from '../mechanism-slice.js';
import { QcnDomain } from './domain.js';
import { QCN_POINT_DEFAULTS, QCN_SCALE_BPS } from './managed.js';
import type { QcnSettings } from './settings.js';
import type { QcnHostSpec, QcnPortSpec, QcnSwitchSpec } from './spec.js';
import { assert } from '../../engine/kernel/assert.js';

/** Congestion points of switches, and reaction points of hosts. */
export class QcnPlan implements MechanismPlan<QcnSwitchSpec, QcnHostSpec> {
  /** CNPVs, each once. */
  readonly priorities: readonly number[];
  private readonly domain: QcnDomain;

  constructor(private readonly context: FabricContext<QcnSettings>) {
    this.priorities = [...new Set(context.section.priorities)];
    this.domain = new QcnDomain(context);
  }

  ofSwitch(device: number): QcnSwitchSpec | null {
    const { domain, priorities } = this;
    if (priorities.length === 0) return null;
    const { section: settings, devices, stations } = this.context;
    const { address, links } = devices[device];
    return {
      priorities: maskOf(priorities),
      alternatePriority: settings.alternatePriority,
      messagePriority: settings.cnmPriority,
      minHeaderOctets: settings.quote,
      bridge: readU48(address(), 0),
      stations,
      ports: links.map(({ rateBps }, port) => ({
        ...pointSpec(settings, rateBps),
        defence: domain.defence(device, port),
      })),
    };
  }

  ofHost(_device: number, sends: readonly SendSpec[]): QcnHostSpec | null {
    if (!sends.some(({ rate }) => rate?.kind === 'qcn')) return null;
    const reactionPoints = Array.from({ length: PRIORITIES }, (_, priority) =>
      sends.findIndex(
        ({ rate, frameClass }) => rate?.kind === 'qcn' && (frameClass & PRIORITY_MASK) === priority,
      ),
    );
    return { reactionPoints };
  }
}

/** Sizes of the standard suit 10 Gb/s. */
function pointSpec(settings: QcnSettings, rateBps: number): Omit<QcnPortSpec, 'defence'> {
  const scale = rateBps / QCN_SCALE_BPS;
  assert(scale > 0, 'qcn.planned-rate');
  const orScaled = (value: number | 'auto', standard: number): number =>
    value === 'auto' ? standard * scale : value;
  return {
    setPointOctets: orScaled(settings.setPoint, QCN_POINT_DEFAULTS.setPointOctets),
    weight: 2 ** settings.weight,
    sampleOctets: orScaled(settings.sampleBase, QCN_POINT_DEFAULTS.sampleOctets),
  };
}
