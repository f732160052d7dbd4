// Text of others on a terminal is data: what could move the cursor, change colours or hide itself is taken out.

// oxlint-disable-next-line no-control-regex -- these are what it is about
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The text without control characters; lines and tabs stay. */
export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(controls, "\u{fffd}");
}

/** The text on one line, cut to so many characters. */
export function oneLine(text: string, most = Infinity): string {
  const line = plainText(text).replaceAll(/\s+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, Math.max(0, most - 1)).join("")}…`;
}

/** A value as JSON that a terminal cannot take for commands. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
