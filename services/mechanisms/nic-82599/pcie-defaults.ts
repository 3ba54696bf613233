/** PCIe 2.0 with eight lanes for a part whose link is no faster; in proportion for faster links. */
export const PCIE_DEFAULTS = {
  link: '10G',
  rate: '32G',
  latency: '500ns',
  reads: 16,
} as const;
