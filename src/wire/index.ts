export { callTimeKey, chunkLogger, chunksKey, codeKey, fieldsKey } from "./action-marks.ts";
export { batchBytes, batchFrames, createBatch, splitBatch } from "./batch.ts";
export type { Batch } from "./batch.ts";
export { closeCodes, closeNameOf, closeReason } from "./close-codes.ts";
export type { CloseName } from "./close-codes.ts";
export { epochs, epochsMost } from "./epochs.ts";
export { isErrorCode } from "./error-codes.ts";
export type { ErrorCode } from "./error-codes.ts";
export { PagewireError, errorCodes, messageOf } from "./errors.ts";
export type { OnError, PagewireErrorOptions } from "./errors.ts";
export { identifierPattern } from "./fields.ts";
export { encodeText, sizeOf, splitText } from "./frame.ts";
export type { Message, Payload } from "./frame.ts";
export { encodeFrame, splitFrame, textOf } from "./frame-bytes.ts";
export type { FrameIn, FrameTable } from "./frame-table.ts";
export { fromAgent } from "./from-agent.ts";
export type { FrameFromAgent } from "./from-agent.ts";
export { fromPage } from "./from-page.ts";
export type { FrameFromPage } from "./from-page.ts";
export { fromView } from "./from-view.ts";
export type { FrameFromView } from "./from-view.ts";
export { isJsonObject, parseJson, parseJsonObject } from "./json.ts";
export type { Json, JsonObject } from "./json.ts";
export { fillInLimits } from "./fill-in-limits.ts";
export { defaultLimits, resolveLimits } from "./limits.ts";
export type { Limits } from "./limits.ts";
export { cutOff, linkCloseCodes, linkCloseReason } from "./link-close-codes.ts";
export type { CloseReason } from "./link-close-codes.ts";
export { markReplay, outcomeMarks } from "./outcome-marks.ts";
export { outcomeNames } from "./outcomes.ts";
export type { Outcome, OutcomeName, Ran } from "./outcomes.ts";
export { pageLimits } from "./page-limits.ts";
export type { PageLimits } from "./page-limits.ts";
export { parseFrame } from "./parse-frame.ts";
export { parseText } from "./parse-text.ts";
export type { Parsed } from "./parse-text.ts";
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
export { plainUrl } from "./plain-url.ts";
export { shortMessage } from "./short-message.ts";
export { showInvisible } from "./show-invisible.ts";
export { resolveSwitchboardLimits, switchboardLimits } from "./switchboard-limits.ts";
export type { SwitchboardLimits } from "./switchboard-limits.ts";
export { toAgent } from "./to-agent.ts";
export type { FrameToAgent } from "./to-agent.ts";
export { toNewPage } from "./to-new-page.ts";
export { toPage } from "./to-page.ts";
export type { FrameToPage } from "./to-page.ts";
export { toView } from "./to-view.ts";
export type { FrameToView } from "./to-view.ts";
export {
  audienceKey,
  builtInToolNames,
  fromBrowser,
  isBuiltInTool,
  isForTerminals,
  isFromBrowser,
  itemNamePattern,
  itemNameProblem,
  itemProblem,
  keyFields,
  terminalOnly,
  wrongItemField,
} from "./tool.ts";
export type { BuiltInToolName, ItemBounds, ItemProblem } from "./tool.ts";
export { chooseVersion, wireVersions } from "./version.ts";
export { fromWorker, parseWorkerMessage, toWorker, workerVersions } from "./worker-messages.ts";
export type { MessageFromWorker, MessageToWorker } from "./worker-messages.ts";
export { askMethods, callMethods, logLevels, suspensions } from "./words.ts";
export type { AskMethod, CallMethod, LogLevel, Suspension } from "./words.ts";
