/** The octets of a base64 text. A loop: an iterator takes ten times as long over megabytes. */
export function octetsFrom(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const octets = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) octets[i] = text.charCodeAt(i);
  return octets;
}
