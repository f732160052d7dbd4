const key = "pagewire.terminal-font-size";
const [least, most] = [8, 32];

/** A size of letters that can be read and shown. */
export function fitFontSize(pixels: number): number {
  return Math.min(most, Math.max(least, Math.round(pixels)));
}

/** The size that somebody chose in this browser; undefined where nobody did. */
export function readFontSize(): number | undefined {
  try {
    const kept = Number(localStorage.getItem(key) ?? Number.NaN);
    return Number.isFinite(kept) ? fitFontSize(kept) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a size for the next time, or with undefined forgets it. */
export function keepFontSize(pixels: number | undefined): void {
  try {
    if (pixels === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, String(pixels));
  } catch {
    // A browser that keeps nothing shows the usual size next time.
  }
}
