import type { Conformance } from '../../engine/contract/conformance.js';

const TABLES = 'test/unit/engine/nic-82599/tables.test.ts';
const ARBITERS = 'test/unit/engine/nic-82599/arbiters.test.ts';
const VALIDATION = 'test/validation/nic-82599.test.ts';
const SHEET = { of: 'Intel 82599: data sheet' } as const;

/** The NIC, section by section of its data sheet. */
export const nicConformance: Conformance = {
  name: '82599',
  title: 'Intel 82599',
  about:
    'Sections 7.4.5 to 7.7.3 of the data sheet. [All sentences](../seeds/82599.md), and [its ' +
    'registers](../seeds/82599-registers.md).',
  claims: [
    {
      ...SHEET,
      clause: '7.4.5.3, Table 7-49',
      says: 'The user priority of a frame follows from the mode of VLANs and its tags.',
      ...{ key: 'hosts.nic.vlan', example: 'nic-vm-switch' },
      test: [TABLES, 'give the user priority of Table 7-49'],
    },
    {
      ...SHEET,
      clause: '7.5',
      says: 'Writes to memory are hinted to a cache by queue and kind, where enabled.',
      ...{ key: 'hosts.nic.regs', example: 'nic-driver-trace' },
      test: [TABLES, 'hints nothing that is not enabled, and nothing at all when it is disabled'],
    },
    {
      ...SHEET,
      clause: '7.6',
      says: 'Each LED shows a source, inverted if so configured.',
      ...{ key: 'hosts.nic.regs', example: 'nic-driver-trace' },
      test: [TABLES, 'show their source, inverted if so configured'],
    },
    {
      ...SHEET,
      clause: '7.7.1',
      says: 'Where PCIe limits, classes have bandwidth in proportion to their allocations.',
      ...{ key: 'hosts.nic.pcie', example: 'nic-slow-pcie' },
      test: [VALIDATION, 'are those of the refills for every class, all backlogged'],
    },
    {
      ...SHEET,
      clause: '7.7.2.1.1',
      says: 'A rate limiter moves the time stamp of a queue by distance and window.',
      ...{ key: 'hosts.nic.rates', example: 'nic-drift' },
      test: ['test/unit/engine/nic-82599/rates.test.ts', 'moves the stamp of vector'],
    },
    {
      ...SHEET,
      clause: '7.7.2.1.2',
      says: 'The rate of a queue drifts back to that of the line.',
      ...{ key: 'hosts.nic.drift', example: 'nic-drift' },
      test: [VALIDATION, 'drifts back to the rate of the line in 78 intervals of 3 percent'],
    },
    {
      ...SHEET,
      clause: '7.7.2.3.2, Figure 7-33',
      says: 'Virtual machines of a class take turns by credits.',
      ...{
        key: 'hosts.nic.vms',
        example: 'nic-sixteen-vms',
        test: [ARBITERS, 'shares in proportion to the refills of any number of VMs'],
      },
    },
    {
      ...SHEET,
      clause: '7.7.2.4.3',
      says: 'What a class leaves goes to its group first, and what a group leaves to all.',
      ...{ key: 'hosts.nic.bandwidth', example: 'nic-groups' },
      test: [ARBITERS, 'gives what a class leaves to its group first'],
    },
    {
      ...SHEET,
      clause: '7.7.3.1',
      says: 'A lossless class is paused at its high watermark.',
      ...{ key: 'hosts.nic.watermarks', example: 'nic-slow-pcie' },
      test: [VALIDATION, 'stops a lossless class at its high mark when the host is slower'],
    },
    {
      ...SHEET,
      clause: '7.7.3.2',
      says: 'Receive buffers have their shares of PCIe by credits.',
      ...{ key: 'hosts.nic.receive', example: 'nic-slow-pcie' },
      test: [VALIDATION, 'gives the buffers of receive their shares by RTRPT4C'],
    },
  ],
};
