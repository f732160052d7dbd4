/** What stands inside a line. */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "strong" | "emphasis" | "strike"; readonly children: readonly Inline[] }
  | Link;

export interface Link {
  readonly kind: "link";
  /** Absolute, and of http, https or mailto. */
  readonly href: string;
  /** Where it leads, where its text could be taken for another address. */
  readonly place: string | null;
  readonly children: readonly Inline[];
}

/** What stands for itself. */
export type Block =
  | { readonly kind: "paragraph" | "quote"; readonly children: readonly (Block | Inline)[] }
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: "code-block"; readonly language: string; readonly text: string }
  | { readonly kind: "rule" }
  | { readonly kind: "list"; readonly start: number | null; readonly children: readonly Item[] }
  | { readonly kind: "table"; readonly children: readonly Row[] };

export interface Item {
  readonly kind: "item";
  /** Null where it is no task. */
  readonly checked: boolean | null;
  readonly children: readonly Block[];
}

export interface Row {
  readonly kind: "row";
  readonly isHead: boolean;
  readonly children: readonly Cell[];
}

export interface Cell {
  readonly kind: "cell";
  readonly isHead: boolean;
  readonly align: Alignment;
  readonly children: readonly Inline[];
}

export type Alignment = "start" | "center" | "end";

export type MarkdownNode = Block | Item | Row | Cell | Inline;
