export { createOnceTable } from "./once-table.ts";
