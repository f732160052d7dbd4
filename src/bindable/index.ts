export { bind } from "./bind.ts";
export type { BindOptions } from "./bind.ts";
export type { WcBindableCommand, WcBindableDeclaration, WcBindableInput, WcBindableProperty } from "./declaration.ts";
export { getWcBindableDeclaration, isWcBindable } from "./get-declaration.ts";
