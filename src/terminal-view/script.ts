// The hub's /terminal.js: terminals, and what their programs can do, for pages that load no packages.
export * from "../page/actions/index.ts";
export { mountTerminal } from "./mount-terminal.ts";
