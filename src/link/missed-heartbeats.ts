/** Heartbeats in a row that may be missing before a link counts as dead, and whoever is at its other end as silent. */
export const missedHeartbeats = 2.5;
