/** Whether this browser asks pages to move less. */
export function wantsStillness(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** What an effect says that was just begun: how it shows, where that is not as usual. */
export function showing(words: string): string {
  const still = wantsStillness() ? " It stands still: this browser asks for less motion." : "";
  const later = document.hidden ? " It shows once somebody looks at this tab." : "";
  return words + still + later;
}

/** A text for people, of a length that fits. */
export function shownText(value: unknown): string {
  return typeof value === "string" ? value.trim().slice(0, 200) : "";
}
