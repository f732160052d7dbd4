import type { Fence } from "./lines.ts";
import { closesFence, fenceOf, headingOf, interrupts, isBlank, isRule, markerOf } from "./lines.ts";

/** The lines inside a quote or an item, which a paragraph's next lines may join without its mark. */
export interface LazyLines {
  readonly lines: string[];
  push(line: string): void;
  /** Takes a line that has no mark if it goes on with a paragraph; says whether it did. */
  pushLazily(line: string): boolean;
}

export function createLazyLines(): LazyLines {
  const lines: string[] = [];
  let fence: Fence | undefined;

  function isInParagraph(): boolean {
    const last = lines.at(-1) ?? "";
    return fence === undefined && !isBlank(last) && !isRule(last) && !headingOf(last);
  }

  function push(line: string): void {
    if (fence === undefined) fence = fenceOf(line);
    else if (closesFence(fence, line)) fence = undefined;
    lines.push(line);
  }

  return {
    lines,
    push,
    pushLazily(line) {
      if (isBlank(line) || !isInParagraph() || interrupts(line) || markerOf(line)) return false;
      lines.push(line.trimStart());
      return true;
    },
  };
}
