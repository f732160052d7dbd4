// Calls of resources and prompts, and completions: rarer than calls of tools, and so loaded when the first one comes.
export { complete } from "./complete.ts";
export { getPrompt } from "./get-prompt.ts";
export { readResource } from "./read-resource.ts";
