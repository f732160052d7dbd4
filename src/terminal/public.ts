// The published API of pagewire/terminal/server. index.ts exports what only rooms of this repository need.
export { createTerminalDoor } from "./index.ts";
export type { TerminalDoorOptions } from "./index.ts";
