import type { CallerInfo } from "pagewire/toolbox";

const nameLength = 32;
const versionLength = 16;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** An agent's name in its own words, on one line and cut where it is long. */
export function agentName({ name }: CallerInfo): string {
  return cut(plain(name), nameLength) || "an agent without a name";
}

/** Its version in the same way; empty if it has none. */
export function agentVersion({ version = "" }: CallerInfo): string {
  return cut(plain(version), versionLength);
}

/** Both. */
export function agentLabel(caller: CallerInfo): string {
  return `${agentName(caller)} ${agentVersion(caller)}`.trimEnd();
}

/** Without line breaks, and characters that reverse or hide the text beside them. */
function plain(text: string): string {
  return text.replaceAll(/[\p{C}\s]+/gu, " ").trim();
}

/** Counted in characters as people see them, so that none is cut in half. */
function cut(text: string, most: number): string {
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
