declare const kind: unique symbol;

/**
 * A number that is the index of one kind of thing. A plain number, such as an element of a table,
 * is assignable to it, and an index of another kind is not: a port in the place of a frame does not
 * compile.
 */
type Index<Kind extends string> = number & { readonly [kind]?: Kind };

/** A frame in the pool. */
export type FrameRef = Index<'frame'>;
/** A port, among all ports of the engine. */
export type PortRow = Index<'port'>;
/** A priority of 802.1Q, 0 to 7. */
export type Priority = Index<'priority'>;
/** A traffic class of 802.1Q, 0 to 7. */
export type TrafficClass = Index<'traffic class'>;
