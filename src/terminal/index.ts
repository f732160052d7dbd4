export { findPty } from "./pty/find-pty.ts";
export type { FindPtyOptions } from "./pty/find-pty.ts";
export type { TerminalDoorOptions } from "./shells.ts";
export { createTerminalDoor } from "./terminal-door.ts";
export { findTmux } from "./tmux.ts";
