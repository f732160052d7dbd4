export { bind } from "./bind.ts";
export type { WcBindableDeclaration } from "./declaration.ts";
export { getWcBindableDeclaration, isWcBindable } from "./declaration.ts";
