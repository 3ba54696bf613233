/** Name of the episode of a hold; traces refer to it. `place`: the port and priority. */
export function holdId(place: string, channel: number, startPs: number): string {
  return channel > 0 ? `${place}.${channel}@${startPs} blocked` : `${place}@${startPs} blocked`;
}
