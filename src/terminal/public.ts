// What the package publishes as pagewire/terminal/server. What only rooms of this repository need is in index.ts.
export { createTerminalDoor } from "./index.ts";
export type { TerminalDoorOptions } from "./index.ts";
