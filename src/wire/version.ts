/** Versions of the wire that this code speaks, best first. */
export const wireVersions: readonly number[] = [1];

/** The best version that both sides speak, or undefined when there is none. */
export function chooseVersion(offered: readonly number[]): number | undefined {
  return wireVersions.find((version) => offered.includes(version));
}
