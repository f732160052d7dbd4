export { mountTerminal } from "./mount-terminal.ts";
export type { ShellToken } from "./session/shell-credentials.ts";
export type { TerminalOptions } from "./terminal-options.ts";
export type { Attachment, TerminalInfo, TerminalState, TerminalTheme, TerminalView } from "./terminal-view.ts";
