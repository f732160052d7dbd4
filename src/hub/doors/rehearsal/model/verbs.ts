import { stemOf } from "./words.ts";

/** Words that ask for the same kind of deed; the first names it. Those of `changing` are done only when they are said. */
const changing = [
  "delete remove clear erase drop discard wipe",
  "add create new write insert append register make",
  "set change update edit modify adjust switch rename put",
  "send publish submit email mail message",
  "buy purchase pay checkout",
  "cancel abort stop revoke close",
  "start run execute launch begin trigger",
  "upload import save",
  "toggle complete finish done undo",
  "move transfer assign approve reject merge reset restore",
];

const harmless = [
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

const kindOf = new Map(
  [...changing, ...harmless].flatMap((words) => {
    const stems = words.split(" ").map(stemOf);
    return stems.map((stem): [string, string] => [stem, stems[0] ?? stem]);
  }),
);
const changes: ReadonlySet<string> = new Set(changing.map((words) => stemOf(words.split(" ", 1)[0] ?? "")));

/** The kind of deed that a word asks for, if it is a verb that we know. */
export function deedOf(stem: string): string | undefined {
  return kindOf.get(stem);
}

/** Whether a deed changes something, so that it is only done when it was asked for. */
export function isChange(deed: string): boolean {
  return changes.has(deed);
}
