// An entry point for code that runs tools without a toolbox, which it does not include.
export { acceptValue } from "./accept-value.ts";
export { logError } from "./listeners.ts";
export { nobodyAsked } from "./make-context.ts";
export { runCall } from "./run-call.ts";
export { toData } from "./to-data.ts";
export type { Sending } from "./to-json.ts";
export { loadJsonSchemaValidator } from "./validate-json.ts";
