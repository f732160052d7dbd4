export { highlight, highlightNamed } from "./highlight.ts";
export type { Language, Piece } from "./highlight.ts";
