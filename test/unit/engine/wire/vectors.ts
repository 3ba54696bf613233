/** Frames known octet by octet, without preamble and FCS. */

export function octetsOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/[0-9a-f]{2}/gi) ?? [], (pair) => parseInt(pair, 16));
}

export function hexOf(octets: Uint8Array): string {
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join(' ');
}

/** A MAC control frame of station 02-00-00-00-00-0A: what follows its type, then zeros. */
function macControl(parameters: string): Uint8Array {
  const frame = new Uint8Array(60);
  frame.set(octetsOf(`0180c2000001 02000000000a 8808 ${parameters}`));
  return frame;
}

/** The eight words of a CE frame, of which only that of priority 3 is not zero. */
function word3(word: string): string {
  return `0000 0000 0000 ${word} 0000 0000 0000 0000`;
}

function padded(hex: string, length: number): Uint8Array {
  const frame = new Uint8Array(length);
  frame.set(octetsOf(hex));
  return frame;
}

/** 802.3 Annex 31B: everything stopped for the longest time. */
export const PAUSE_FFFF = macControl('0001 ffff');

/** 802.3 Annex 31B: released. */
export const PAUSE_ZERO = macControl('0001 0000');

/** 802.3 Annex 31D: priority 3 stopped for the longest time. */
export const PFC_P3_FFFF = macControl('0101 0008 0000 0000 0000 ffff');

/** 802.3 Annex 31D: priority 3 stopped for 256 quanta, priority 4 released. */
export const PFC_P3_OFF_P4_ON = macControl('0101 0018 0000 0000 0000 0100 0000');

/** Credit exchange, incremental: a request for priorities 3 and 4; 64 and 16 units granted. */
export const CE_REQUEST = macControl('0110 0018');
export const CE_GRANT = macControl('0111 0018 0000 0000 0000 0040 0010');

/** Credit exchange, cumulative, of channel 7 and priority 3. */
export const CE_DEMAND_CH7 = macControl(`0110 0008 ${word3('0123')} 0007`);
export const CE_GRANT_CH7 = macControl(`0111 0008 ${word3('0323')} 0007`);
export const CE_REPORT_CH7 = macControl(`0110 2008 ${word3('0323')} 0007`);
export const CE_SYN_CH7 = macControl(`0110 8508 ${word3('0323')} 0007`);
export const CE_ACK_CH7 = macControl(`0111 4508 ${word3('0523')} 0007`);
export const CE_RESYNC_CH7 = macControl(`0111 8608 ${word3('0000')} 0007`);

/** CF_Update of CBFC: channel 3 has freed 0x1234, and channel 31 0x7ffe. */
export const CF_UPDATE_3_AND_31 = octetsOf('4b 10 19 23 46 ff ff e0');

/** CC_Update of CBFC: counters of 20 bits, of channels 0 to 15 and of channels 16 to 31. */
const CC_COUNTERS =
  '00000 00001 00002 fffff 12345 00005 00006 00007 ' +
  '00008 00009 0000a 0000b 0000c 0000d 0000e abcde';
const ccUpdate = (message: string): Uint8Array =>
  macControl(`fffe 02ce70 ${message} ${CC_COUNTERS}`.replaceAll(' ', ''));
export const CC_UPDATE_LOW = ccUpdate('01');
export const CC_UPDATE_HIGH = ccUpdate('02');

/** CE-Tags in front of a C-TAG (priority 3, VID 100), IPv4 and UDP: a request, and a grant. */
const TAGGED_DATA = `
  8100 6064 0800 4500002e000040004011 26bd 0a000001 0a000002 1388 1389 001a 0000`;
export const CE_TAG_REQUEST_P3 = padded(
  `02000000000b 02000000000a 88b5 0008 0000 0000 ${TAGGED_DATA}`,
  72,
);
export const CE_TAG_GRANT_P3 = padded(
  `02000000000b 02000000000a 88b6 0008 0040 0007 ${TAGGED_DATA}`,
  72,
);
export const CE_TAG_ALONE = padded('0180c2000001 02000000000a 88b6 0008 0040 0000', 60);

/** InfiniBand Architecture Annex A17: congestion notification from 10.0.0.2 to 10.0.0.1, QP 17. */
export const CNP_ROCEV2 = octetsOf(`
  02000000000a 02000000000b 0800
  45 c0 003c 0000 4000 40 11 25ef 0a000002 0a000001
  c001 12b7 0028 0000
  81 00 ffff 40 000011 00 000000
  00000000 00000000 00000000 00000000
  93727150`);

/**
 * P802.1Qdw 52.5.3: priority 3, DSCP 26, 20 us, a queue of 2,560 octets; behind EtherType 89-A2.
 */
export const SFCM_L2_PAUSE = octetsOf(`
  02000000 000a0200 000000c1 8100c064 89a20111 0044611a 00010000 4e200200
  0000000b 02000000 000a0064 02000000 00c10003 00280022 08004500 002e0000
  40004011 26bd0a00 00010a00 00021388 1389001a 00000000 0000`);

/** The same flow may go on. */
export const SFCM_L2_RESUME = octetsOf(`
  02000000 000a0200 000000c1 8100c064 89a20112 0044611a 00020000 00000200
  0000000b 02000000 000a0064 02000000 00c10003 00050022 08004500 002e0000
  40004011 26bd0a00 00010a00 00021388 1389001a 00000000 0000`);

/** As SFCM_L2_PAUSE, in UDP on IPv4, and on IPv6. */
export const SFCM_IPV4_PAUSE = octetsOf(`
  02000000 000a0200 000000c1 080045c0 00640000 40004011 24c80aff 00020a00
  0001c0df c0df0050 00000111 0044611a 00010000 4e200200 0000000b 02000000
  000a0064 02000000 00c10003 00280022 08004500 002e0000 40004011 26bd0a00
  00010a00 00021388 1389001a 00000000 0000`);

export const SFCM_IPV6_PAUSE = octetsOf(`
  02000000 000a0200 000000c1 86dd6c00 00000050 11402001 0db80000 00000000
  00000000 00c12001 0db80000 00000000 00000000 0001c0df c0df0050 3a180111
  0044611a 00010000 4e200200 0000000b 02000000 000a0064 02000000 00c10003
  00280022 08004500 002e0000 40004011 26bd0a00 00010a00 00021388 1389001a
  00000000 0000`);

/** 802.1Qcz 49.4.3: a flow with 48 octets of its frame is to be isolated; and no longer. */
export const CIM_L2_ADD = octetsOf(`
  02000000 00510200 000000c1 8100c064 89a20001 02000000 000b0200 0000000a
  00640030 08004500 002e0000 40004011 26bd0a00 00010a00 00021388 1389001a
  00000000 00000000 00000000 00000000 00000000`);

export const CIM_L2_DEL = octetsOf(`
  02000000 00510200 000000c1 8100c064 89a20000 02000000 000b0200 0000000a
  00640030 08004500 002e0000 40004011 26bd0a00 00010a00 00021388 1389001a
  00000000 00000000 00000000 00000000 00000000`);

/** In UDP on IPv4. */
export const CIM_IPV4_ADD = octetsOf(`
  02000000 00510200 000000c1 080045c0 005e0000 40004011 23cf0aff 00020aff
  0001c0de c0de004a 00000001 02000000 000b0200 0000000a 00640030 08004500
  002e0000 40004011 26bd0a00 00010a00 00021388 1389001a 00000000 00000000
  00000000 00000000 00000000`);
/** 802.1Q 33.3, 33.4: a message to Flow ID 5 with feedback 32 and 24 octets of the sampled data. */
export const CNM = octetsOf(`
  02000000000a 0200000000c1 8100 c064 22e9 0005 22e7
  0020 0200000000c1 0003 032d 006e a000 02000000000b 0018
  4500 002e 0000 4000 40 11 26bd 0a000001 0a000002 1388 1389`);
