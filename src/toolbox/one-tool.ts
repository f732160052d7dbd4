// A second way into this folder, for those who run tools without a toolbox: from here no part of one comes along.
export { acceptValue } from "./accept-value.ts";
export { loadJsonSchemaValidator } from "./load-validator.ts";
export { logError } from "./log-error.ts";
export { runCall } from "./run-call.ts";
export { toData } from "./to-data.ts";
export { deepestPart } from "./toolbox-limits.ts";
export { unlessAborted } from "./unless-aborted.ts";
