export { builtInToolNames, isBuiltInTool } from "./built-in-names.ts";
export type { BuiltInToolName } from "./built-in-names.ts";
export { closeCodes, closeNameOf, closeReason, cutOff } from "./close-codes.ts";
export type { CloseName, CloseReason } from "./close-codes.ts";
export { PagewireError, errorCodes, isErrorCode, messageOf } from "./errors.ts";
export type { ErrorCode, OnError, PagewireErrorOptions } from "./errors.ts";
export { identifierPattern } from "./fields.ts";
export { encodeFrame, sizeOf, splitFrame, textOf } from "./frame.ts";
export type { Message, Payload } from "./frame.ts";
export type { FrameIn, FrameTable } from "./frame-table.ts";
export { fromAgent } from "./from-agent.ts";
export type { FrameFromAgent } from "./from-agent.ts";
export { fromPage } from "./from-page.ts";
export type { FrameFromPage } from "./from-page.ts";
export { isJsonObject, parseJson, parseJsonObject } from "./json.ts";
export type { Json, JsonObject } from "./json.ts";
export { fillInLimits } from "./fill-in-limits.ts";
export { defaultLimits, resolveLimits } from "./limits.ts";
export type { Limits } from "./limits.ts";
export { outcomeNames } from "./outcomes.ts";
export type { Outcome, OutcomeName, Ran } from "./outcomes.ts";
export { pageLimits } from "./page-limits.ts";
export type { PageLimits } from "./page-limits.ts";
export { parseFrame } from "./parse-frame.ts";
export type { Parsed } from "./parse-frame.ts";
export type {
  CallEvent,
  CallToolResult,
  ContentBlock,
  Icon,
  Meta,
  ObjectSchema,
  Offer,
  OfferChange,
  Prompt,
  PromptArgument,
  Resource,
  ResourceTemplate,
  TabInfo,
  TextContent,
  Tool,
  ToolAnnotations,
} from "./payloads.ts";
export { toAgent } from "./to-agent.ts";
export type { FrameToAgent } from "./to-agent.ts";
export { toPage } from "./to-page.ts";
export type { FrameToPage } from "./to-page.ts";
export { chooseVersion, wireVersions } from "./version.ts";
export { askMethods, callMethods, suspensions } from "./words.ts";
export type { AskMethod, CallMethod, LogLevel, Suspension } from "./words.ts";
