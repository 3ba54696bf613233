/** 5 ns/m, the usual value for fibre (802.3 44.3 and others take about as much). */
export const PS_PER_MM = 5;
