// Single numbers that are read for every frame. An array over a buffer of its own is never moved,
// and compiled code has its address; a small one without lies in the heap, where the collector
// moves it, and compiled code loads the address each time.

export function doubleCell(): Float64Array {
  return new Float64Array(new ArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
}

export function wordCell(): Int32Array {
  return new Int32Array(new ArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function octetCell(): Uint8Array {
  return new Uint8Array(new ArrayBuffer(Uint8Array.BYTES_PER_ELEMENT));
}
