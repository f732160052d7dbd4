export type {
  Answer,
  ApprovalDecision,
  ApprovalRequest,
  Approve,
  CallContext,
  CallEnvironment,
  CallerInfo,
  CallInput,
  InputRequest,
  InputRequired,
  Question,
  TextPiece,
  ToolChange,
} from "./context.ts";
export { createToolbox } from "./create-toolbox.ts";
export type { LocalToolbox, ToolboxOptions } from "./create-toolbox.ts";
export { defineTool } from "./definitions.ts";
export { createListeners, logError } from "./listeners.ts";
export type { Listeners } from "./listeners.ts";
export type { Calls, MakeCalls } from "./make-calls.ts";
export { loadCalls } from "./load-calls.ts";
export { loadJsonSchemaValidator } from "./validate-json.ts";
export { makeCalls } from "./make-calls.ts";
export type {
  Complete,
  PromptDefinition,
  PromptMessage,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from "./definitions.ts";
export { getPageToolbox, pageToolboxes } from "./page-toolbox.ts";
export type { Registration } from "./registry.ts";
export { deepestPart, toJson } from "./to-json.ts";
export type { InputOf, NoInput, SchemaTool, ToolDefinition } from "./definitions.ts";
export type { CallOutcome, Toolbox } from "./toolbox.ts";
export { matchUriTemplate } from "./uri-template.ts";
export type { Undone } from "./run-call.ts";
export type { LoadValidator, ValidateJson } from "./validate-json.ts";
export { unlessAborted } from "./unless-aborted.ts";
