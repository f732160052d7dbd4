export { mountTerminal } from "./mount-terminal.ts";
export type { TerminalOptions } from "./terminal-options.ts";
export type { TerminalInfo, TerminalState, TerminalView } from "./session/terminal-view.ts";
