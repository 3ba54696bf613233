/** QEMU's stream: before each frame its length, in four octets, the most significant first. */

const LENGTH_OCTETS = 4;
/** No frame is longer, not even one of segmentation offload: the stream has lost its place. */
const LONGEST = 0x11000;

/** Frames of a stream, however its octets are divided. */
export class StreamFrames {
  /** Octets of a frame that is not complete, its length before it. */
  private readonly kept = new Uint8Array(LENGTH_OCTETS + LONGEST);
  private length = 0;

  /** False: no frame can begin there, and nothing that follows can be read. */
  push(octets: Uint8Array, take: (frame: Uint8Array) => void): boolean {
    let at = 0;
    while (at < octets.length) {
      if (this.length === 0) {
        // Whole frames are not copied.
        const end = wholeFrame(octets, at);
        if (end === WRONG) return false;
        if (end !== PART) {
          take(octets.subarray(at + LENGTH_OCTETS, end));
          at = end;
          continue;
        }
      }
      const wanted = this.wanted();
      if (wanted === WRONG) return false;
      const part = octets.subarray(at, at + wanted - this.length);
      this.kept.set(part, this.length);
      this.length += part.length;
      at += part.length;
      if (this.length >= LENGTH_OCTETS) {
        const whole = this.wanted();
        if (whole === WRONG) return false;
        if (this.length === whole) {
          this.length = 0;
          take(this.kept.subarray(LENGTH_OCTETS, whole));
        }
      }
    }
    return true;
  }

  /** Octets that are to be kept before anything more is known. */
  private wanted(): number {
    if (this.length < LENGTH_OCTETS) return LENGTH_OCTETS;
    const length = lengthAt(this.kept, 0);
    return length > LONGEST ? WRONG : LENGTH_OCTETS + length;
  }
}

const WRONG = -1;
const PART = -2;

/** Where the frame at an offset ends. */
function wholeFrame(octets: Uint8Array, at: number): number {
  if (octets.length - at < LENGTH_OCTETS) return PART;
  const length = lengthAt(octets, at);
  if (length > LONGEST) return WRONG;
  const end = at + LENGTH_OCTETS + length;
  return end > octets.length ? PART : end;
}

function lengthAt(octets: Uint8Array, at: number): number {
  return (
    ((octets[at]! << 24) | (octets[at + 1]! << 16) | (octets[at + 2]! << 8) | octets[at + 3]!) >>> 0
  );
}

export function writeStreamFrame(frame: Uint8Array): Uint8Array {
  const octets = new Uint8Array(LENGTH_OCTETS + frame.length);
  new DataView(octets.buffer).setUint32(0, frame.length);
  octets.set(frame, LENGTH_OCTETS);
  return octets;
}
