/** Arabic letters that join the next one. */
const joining =
  "[\\u0620\\u0626\\u0628\\u062A-\\u062E\\u0633-\\u063F\\u0641-\\u0647\\u0649\\u064A\\u0678-\\u0687\\u069A-\\u06BF\\u06C1\\u06C2\\u06CC\\u06CE\\u06D0\\u06D1]\\p{Mn}{0,3}";
/** The virama of the scripts of India, which removes a letter's vowel so that it joins the next letter. */
const virama = "[\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D4D\\u0DCA]";
const indic = "[\\u0900-\\u0DFF]";

/** Characters without width that are visible all the same: in emoji, and where they join letters or keep them apart. */
const drawn = new RegExp(
  [
    "\\u200D(?<=\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?\\u200D)(?=\\p{Extended_Pictographic})",
    "[\\uFE0E\\uFE0F](?<=\\p{Extended_Pictographic}.)",
    "\\uFE0F(?<=[\\d#*]\\uFE0F)(?=\\u20E3)",
    // The flags of England, Scotland and Wales.
    "\\u{E0067}(?<=\\u{1F3F4}\\u{E0067})\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}",
    `\\u200C(?<=${joining}\\u200C)(?=[\\u0622-\\u063F\\u0641-\\u064A\\u0671-\\u06D3])`,
    `\\u200D(?<=${joining}\\u200D)(?![\\p{L}\\p{M}\\p{Cf}])`,
    `\\u200C(?<=${indic}${virama}\\u200C)(?=${indic})`,
    `\\u200D(?<=${indic}${virama}\\u200D)`,
    `\\u200D(?<=${indic}\\u200D)(?=${virama}${indic})`,
  ].join("|"),
  "u",
);

/** Controls, direction marks, joiners, fillers, tags and other invisible characters, except line breaks and tabs. */
const unseen = /(?![\n\t])[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u2800]/u;

const either = new RegExp(`(${drawn.source})|${unseen.source}`, "gu");

/** Writes invisible characters as their numbers, so that a user does not agree to a text that looks different. */
export function showInvisible(text: string, write: (character: string) => string = written): string {
  return text.replaceAll(either, (character: string, kept: string | undefined) => kept ?? write(character));
}

/** The same for text with Windows line ends. */
export function plainText(text: string, write?: (character: string) => string): string {
  return plain.test(text) ? text : showInvisible(text.replaceAll("\r\n", "\n"), write);
}

/** The text without invisible characters: it never gets longer. */
export function visibleText(text: string): string {
  return plainText(text, () => "");
}

/** Matches most text, and is fast. */
const plain = /^[\n\t\x20-\x7e]*$/;

function written(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
