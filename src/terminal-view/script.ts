// The hub's /terminal.js: terminals and the actions of their programs, for pages that load no packages.
export * from "../page/actions/index.ts";
export { mountTerminal } from "./mount-terminal.ts";
