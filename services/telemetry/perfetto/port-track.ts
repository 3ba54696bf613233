import type { Track } from './timeline.js';

/** The track of a port, below that of its device. */
export function portTrack(root: Track, port: string): Track {
  return root.child(port.slice(0, port.indexOf(':'))).child(port);
}
