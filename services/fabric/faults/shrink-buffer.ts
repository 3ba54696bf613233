import { hasSharedBuffer } from '../../engine/contract/spec.js';
import { faultKind } from './fault-kind.js';
import { KEYS } from './keys.js';

export const shrinkBuffer = faultKind({
  name: 'shrink-buffer',
  effect: 'the shared buffer of a switch shrinks by so much, as far as it is free',
  must: { size: KEYS.size },
  may: {},
  hits: 'switch',
  needs: 'a shared buffer',
  place({ device, ports }, { size: octets }) {
    if (device.kind === 'switch' && !hasSharedBuffer(device)) return false;
    ports.forEach((own, p) => {
      own.put(p === 0 ? { kind: 'shrink', octets } : { kind: 'excuse' });
    });
    return true;
  },
  look: 'device',
  form: {
    says: 'the switch has so much less memory to share',
    fields: [{ key: 'size', text: '1MB' }],
  },
});
