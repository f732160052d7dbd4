const longest = 60;

/** What others call themselves, in quotes, on one line and cut: it cannot go on as if it were the dialog's own words. */
export function quoted(name: string): string {
  const characters = Array.from(
    name
      .replaceAll(/\s+/g, " ")
      .replaceAll(/["“”„‟«»]/g, "'")
      .trim(),
  );
  return `“${characters.length > longest ? `${characters.slice(0, longest).join("")}…` : characters.join("")}”`;
}
