const key = "pagewire.terminal-font-size";
const [least, most] = [8, 32];

/** Clamps a font size to a readable range. */
export function fitFontSize(pixels: number): number {
  return Math.min(most, Math.max(least, Math.round(pixels)));
}

/** The font size stored in this browser, if any. */
export function readFontSize(): number | undefined {
  try {
    const kept = Number(localStorage.getItem(key) ?? Number.NaN);
    return Number.isFinite(kept) ? fitFontSize(kept) : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a font size; with undefined, removes it. */
export function keepFontSize(pixels: number | undefined): void {
  try {
    if (pixels === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, String(pixels));
  } catch {
    // Without storage, the next visit starts with the default.
  }
}
