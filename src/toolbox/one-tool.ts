// A second way into this folder, for those who run tools without a toolbox: from here no part of one comes along.
export { acceptValue } from "./accept-value.ts";
export { logError } from "./listeners.ts";
export { nobodyAsked } from "./make-context.ts";
export { runCall } from "./run-call.ts";
export { toData } from "./to-data.ts";
export type { Sending } from "./to-json.ts";
export { loadJsonSchemaValidator } from "./validate-json.ts";
