/** Synonymous verbs, by stem. A tool whose name starts with one of `changing` runs only when asked for. */
const changing = [
  "delete remove clear erase drop discard wipe empty",
  "add create write insert append register make book",
  "set change update edit modify adjust switch rename put",
  "send publish submit email mail message",
  "buy purchase pay checkout order",
  "cancel abort stop revoke close",
  "start run execute launch begin trigger",
  "upload import save",
  "toggle complete finish undo",
  "move transfer assign approve reject merge reset restore",
];

const reading = [
  "get show list read fetch give tell display view see look what check describe",
  "search find query lookup",
  "filter narrow only",
  "highlight point ring mark",
  "export download",
  "ask suggest propose",
  "forecast predict simulate",
  "open go navigate visit",
  "translate convert calculate compute",
];

const stopWords = new Set(
  "a an the of in on at to for from by with and or is are was were be do does did i me my you your we our us it its this that there what which who how when please can could would all last next".split(
    " ",
  ),
);

/** The common stem of a word's forms: `sales` and `sale`, `filtering` and `filtered`. */
function stemOf(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length < 4) return lower;
  return lower
    .replace(/ies$/, "y")
    .replace(/(?<=x|ch|sh|ss|z)es$|(?<![su])s$/, "")
    .replace(/(?<=...)(?:ing|ed|ion|ment|ly)$/, "")
    .replace(/(?<=..)[ei]$/, "");
}

/** The words of a sentence or of a name, such as `getSalesData` or `get_sales_data`. */
export function wordsOf(text: string): readonly string[] {
  return text.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ").match(/[\p{L}\p{N}]+/gu) ?? [];
}

export function stemsOf(text: string): readonly string[] {
  return wordsOf(text).map(stemOf);
}

export function isStopWord(stem: string): boolean {
  return stopWords.has(stem);
}

export interface VerbKind {
  readonly name: string;
  readonly isChange: boolean;
}

const verbKinds = new Map<string, VerbKind>();
for (const [groups, isChange] of [[changing, true] as const, [reading, false] as const])
  for (const group of groups) {
    const kind = { name: group, isChange };
    for (const verb of group.split(" ")) verbKinds.set(stemOf(verb), kind);
  }

/** The kind of action that a word means, if it is a known verb. */
export function verbKindOf(stem: string): VerbKind | undefined {
  return verbKinds.get(stem);
}
