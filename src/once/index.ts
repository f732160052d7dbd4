export { createOnceTable } from "./once-table.ts";
export type { Once, OnceOptions, OnceTable } from "./once-table.ts";
