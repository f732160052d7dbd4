/** One word of a sentence, and where it stands. */
export interface Token {
  readonly text: string;
  readonly stem: string;
  readonly start: number;
  readonly end: number;
}

const aliases: Readonly<Record<string, string>> = {
  daily: "day",
  weekly: "week",
  monthly: "month",
  quarterly: "quarter",
  yearly: "year",
  annual: "year",
  people: "person",
  children: "child",
};

/** What the forms of a word have in common: `sales` and `sale`, `filtering` and `filtered`. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase();
  const alias = Object.hasOwn(aliases, lower) ? aliases[lower] : undefined;
  if (alias !== undefined) return alias;
  if (lower.length < 4) return lower;
  return lower
    .replace(/['’]s$/, "")
    .replace(/ies$/, "y")
    .replace(/(?<=(x|ch|sh|ss|z))es$|(?<![su])s$/, "")
    .replace(/(?<=...)(ing|ed|ion|ment)$/, "")
    .replace(/(?<=..)e$/, "");
}

export function tokensOf(sentence: string): readonly Token[] {
  return [...sentence.matchAll(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu)].map(({ 0: text, index }) => ({
    text,
    stem: stemOf(text),
    start: index,
    end: index + text.length,
  }));
}

/** The stems of a name such as `getSalesData` or `get_sales_data`. */
export function stemsOfName(name: string): readonly string[] {
  return stemsOf(name.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " "));
}

export function stemsOf(text: string): readonly string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).map(stemOf);
}

/** Where the words of a phrase stand one after the other, as the places of its first word. */
export function placesOf(phrase: readonly string[], tokens: readonly Token[]): readonly number[] {
  if (phrase.length === 0) return [];
  const places: number[] = [];
  for (let at = 0; at + phrase.length <= tokens.length; at++)
    if (phrase.every((stem, index) => tokens[at + index]?.stem === stem)) places.push(at);
  return places;
}

const functionWords =
  "a an and are as at be been but by can could did do does for from had has have how i if in into is it its just me my of on or our out please shall should so some than that the their them then there these this those to us was we were what when where which who whom why will with would you your".split(
    " ",
  );

const stopStems: ReadonlySet<string> = new Set(functionWords.flatMap((word) => [word, stemOf(word)]));

/** Whether a word says nothing about what is meant. */
export function isStopWord(stem: string): boolean {
  return stopStems.has(stem);
}
