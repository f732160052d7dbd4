import type { BlockReader } from "./block-reader.ts";
import { isLastOpen } from "./block-reader.ts";
import { createLazyLines } from "./lazy-lines.ts";
import { isQuote } from "./lines.ts";

export const readQuote: BlockReader = (lines, at, context) => {
  if (!isQuote(lines[at] ?? "")) return undefined;
  const inside = createLazyLines();
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? "";
    if (isQuote(line)) inside.push(line.replace(/^ {0,3}> ?/, ""));
    else if (!inside.pushLazily(line)) break;
  }
  const isOpen = isLastOpen(lines, next, context);
  return { node: { kind: "quote", children: context.readInside(inside.lines, { isOpen }) }, next };
};
