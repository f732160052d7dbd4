export type { HubInfo } from "./hub-file.ts";
export { openState } from "./open-state.ts";
export type { State } from "./open-state.ts";
export { originProblem, parseOrigin } from "./parse-origin.ts";
export type { RefusedOrigin } from "./refusals-file.ts";
export { stateDirectory } from "./state-directory.ts";
export { createTerminalFiles } from "./terminal-files.ts";
export type { TerminalFiles, TerminalRecord } from "./terminal-files.ts";
