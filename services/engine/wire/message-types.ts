import { ETHERTYPE_CN_TAG } from './cn-tag.js';
import { ETHERTYPE_CNM } from './cnm.js';
import {
  ETHERTYPE_C_TAG,
  ETHERTYPE_CONGESTION,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_S_TAG,
  ETHERTYPE_OUI_EXTENDED,
} from './ethernet.js';

/** Whether octets with this EtherType are a congestion message, or a header before one. */
export function isMessageType(etherType: number): boolean {
  switch (etherType) {
    case ETHERTYPE_C_TAG:
    case ETHERTYPE_S_TAG:
    case ETHERTYPE_CONGESTION:
    case ETHERTYPE_CN_TAG:
    case ETHERTYPE_CNM:
    case ETHERTYPE_OUI_EXTENDED:
    case ETHERTYPE_IPV4:
    case ETHERTYPE_IPV6:
      return true;
    default:
      return false;
  }
}
