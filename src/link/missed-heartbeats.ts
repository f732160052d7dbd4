/** Heartbeats in a row that may be missed before a link counts as dead and its peer as silent. */
export const missedHeartbeats = 2.5;
