import type { AnswerFormat } from "./answer.ts";
import { textOf } from "./text-of.ts";

/** Takes a piece of the stream, and returns the text in it. */
export type BareParser = (piece: string) => string;

/** The floor: split at line ends, JSON.parse, take the text. No event names, no comments, no errors. */
export function createBareParser(format: AnswerFormat): BareParser {
  const take = textOf(format);
  let rest = "";
  return (piece) => {
    rest += piece;
    let text = "";
    let from = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", from)) {
      if (rest.startsWith("data: ", from)) text += take(rest.slice(from + 6, end));
      from = end + 1;
    }
    rest = rest.slice(from);
    return text;
  };
}
