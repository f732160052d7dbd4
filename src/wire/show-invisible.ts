/** What an emoji is made of: joined to another one, or told to be drawn in colour. */
const drawn =
  /(?<=\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)\u200D(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic})\uFE0F|(?<=[\d#*])\uFE0F(?=\u20E3)/u;

/** Controls, marks of direction, joiners, fillers, tags and whatever else takes no room, beside line breaks and tabs. */
const unseen = /(?![\n\t])[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u2800]/u;

const either = new RegExp(`(${drawn.source})|${unseen.source}`, "gu");

/** Writes what cannot be seen by its number, so that nobody agrees to words that are not there. */
export function showInvisible(text: string, write: (character: string) => string = written): string {
  return text.replaceAll(either, (character: string, kept: string | undefined) => kept ?? write(character));
}

/** The same for text whose lines may end as on Windows. */
export function plainText(text: string, write?: (character: string) => string): string {
  return plain.test(text) ? text : showInvisible(text.replaceAll("\r\n", "\n"), write);
}

/** The text without what cannot be seen: it grows by nothing, whatever somebody put into it. */
export function visibleText(text: string): string {
  return plainText(text, () => "");
}

/** Most text, which is looked at fast. */
const plain = /^[\n\t\x20-\x7e]*$/;

function written(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
