import type { Inline } from "../tree.ts";

/** The pieces of a text: what they mean for each other is found out afterwards. */
export type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "node"; readonly node: Inline }
  | Run
  | Opening
  | { readonly kind: "closing"; readonly opening: Opening };

/** Marks of emphasis in a row. */
export interface Run {
  readonly kind: "run";
  readonly mark: string;
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
}

/** A bracket: text, unless a closing one made it the beginning of a link. */
export interface Opening {
  readonly kind: "opening";
  readonly text: "[" | "![";
  link?: LinkEnd;
}

/** Where a link leads: null where that may not be followed, or has not come yet. */
export interface LinkEnd {
  readonly href: string | null;
}
