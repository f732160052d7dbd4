export { acceptValue } from "./accept-value.ts";
export type { ApprovalDecision, ApprovalRequest, Approve } from "./approval.ts";
export type { Answer, CallContext, CallEnvironment, CallInput, CallerInfo, Question } from "./context.ts";
export { createToolbox } from "./create-toolbox.ts";
export type { LocalToolbox, ToolboxOptions } from "./create-toolbox.ts";
export { defineTool } from "./define-tool.ts";
export type { FromSchema } from "./from-schema.ts";
export { createListeners } from "./listeners.ts";
export type { Listeners } from "./listeners.ts";
export type { Calls, LoadCalls, MakeCalls } from "./calls.ts";
export type { InputRequest, InputRequired } from "./input-required.ts";
export { loadCalls } from "./load-calls.ts";
export { logError } from "./log-error.ts";
export { makeCalls } from "./make-calls.ts";
export { loadJsonSchemaValidator } from "./load-validator.ts";
export type {
  Complete,
  PromptAnswer,
  PromptDefinition,
  PromptMessage,
  ResourceAnswer,
  ResourceDefinition,
  ResourceTemplateDefinition,
  TextValues,
} from "./offer-definitions.ts";
export { getPageToolbox, pageToolboxes } from "./page-toolbox.ts";
export type { RegisterOptions, Registration } from "./registry.ts";
export { toJson } from "./to-json.ts";
export type { AnswerOf, InputOf, MaybePromise, NoInput, SchemaTool, ToolDefinition } from "./tool-definition.ts";
export type { CallOutcome, Toolbox } from "./toolbox.ts";
export { deepestPart } from "./toolbox-limits.ts";
export type { ToolboxLimits } from "./toolbox-limits.ts";
export { matchUriTemplate } from "./uri-template.ts";
export type { LoadValidator, Problem, ValidateJson } from "./validate-json.ts";
export { unlessAborted } from "./unless-aborted.ts";
