// What is loaded where a store is looked at or changed beside a hub.
export { exportAll } from "./export.ts";
export { openToChange } from "./open-to-change.ts";
export { openToRead } from "./open-to-read.ts";
export { pruneAll } from "./prune.ts";
