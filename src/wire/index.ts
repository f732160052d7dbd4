export {
  builtInToolNames,
  callTimeKey,
  chunkLogger,
  chunksKey,
  codeKey,
  fieldsKey,
  fromBrowser,
  isBuiltInTool,
  isForTerminals,
  isFromBrowser,
  itemNamePattern,
  itemNameProblem,
  itemProblem,
  keyFields,
  schemaProblem,
  terminalOnly,
  typedSchema,
  wrongItemField,
} from "./tool.ts";
export { batchBytes, batchFrames, createBatch, splitBatch } from "./batch.ts";
export type { Batch } from "./batch.ts";
export { budgets } from "./budgets.ts";
export type { BudgetName, OnOver, TokenBudgetName, TokenBudgets } from "./budgets.ts";
export { closeCodes, closeNameOf, closeReason } from "./close-codes.ts";
export type { CloseName } from "./close-codes.ts";
export { epochs, epochsMost, identifierPattern } from "./fields.ts";
export { PagewireError, errorCodes, isErrorCode, messageOf } from "./errors.ts";
export type { ErrorCode, OnError, PagewireErrorOptions } from "./errors.ts";
export { encodeFrame, encodeText, parseFrame, parseText, sizeOf, splitText, textOf } from "./codec.ts";
export type { FrameIn, FrameTable, Parsed } from "./codec.ts";
export { fromAgent, toAgent } from "./agent-frames.ts";
export type { FrameFromAgent, FrameToAgent } from "./agent-frames.ts";
export { browserNameMost, fromExtension, isExtensionOrigin, pairInstead, toExtension } from "./extension-frames.ts";
export type { FrameFromExtension, FrameToExtension } from "./extension-frames.ts";
export { fromPage } from "./from-page.ts";
export type { FrameFromPage } from "./from-page.ts";
export { fromView } from "./view-frames.ts";
export type { FrameFromView } from "./view-frames.ts";
export { isJsonObject, maxJsonAtOnce, parseJson, parseJsonObject } from "./json.ts";
export type { Json, JsonObject, Message, Payload } from "./json.ts";
export { bytesText, fileLimits, mediaTypeOf } from "./file-limits.ts";
export { fillInLimits, pageLimits } from "./page-limits.ts";
export { defaultLimits, resolveLimits } from "./limits.ts";
export {
  bearerText,
  formatAddress,
  formatBearer,
  noncePattern,
  parseBearer,
  proofPath,
  proofText,
  provenSecrets,
  givenKeyText,
} from "./hub-proof.ts";
export { formatSignedToken, pageKeyText, parseSignedToken } from "./page-key.ts";
export type { SignedToken } from "./page-key.ts";
export type { ProofRound, ProvenSecret } from "./hub-proof.ts";
export type { Limits } from "./limits.ts";
export { cutOff, linkCloseCodes, linkCloseReason } from "./link-close-codes.ts";
export type { CloseReason } from "./link-close-codes.ts";
export { isPlainEnd, markResult, outcomeMarks, outcomeNames } from "./outcomes.ts";
export type { Outcome, OutcomeName, Ran } from "./outcomes.ts";
export type { PageLimits } from "./page-limits.ts";
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
  Resource,
  ResourceTemplate,
  TabInfo,
  TextContent,
  Tool,
  ToolAnnotations,
} from "./payloads.ts";
export { plainUrl, shortMessage } from "./text.ts";
export { plainText, showInvisible, visibleText } from "./show-invisible.ts";
export { resolveSwitchboardLimits, switchboardLimits } from "./switchboard-limits.ts";
export type { SwitchboardLimits } from "./switchboard-limits.ts";
export { toNewPage } from "./to-new-page.ts";
export { toPage } from "./to-page.ts";
export type { FrameToPage } from "./to-page.ts";
export { parseTrace } from "./trace.ts";
export type { TraceContext } from "./trace.ts";
export { toView } from "./view-frames.ts";
export type { FrameToView } from "./view-frames.ts";
export type { BuiltInToolName } from "./tool.ts";
export { parseUrl } from "./text.ts";
export { bareHost, isLoopbackHost, isPrivateHost } from "./private-host.ts";
export {
  allowQuestion,
  askMethods,
  callMethods,
  chooseVersion,
  logLevels,
  wireVersions,
  suspensions,
} from "./words.ts";
export { fromWorker, parseWorkerMessage, toWorker, workerVersions } from "./worker-messages.ts";
export type { MessageFromWorker, MessageToWorker } from "./worker-messages.ts";
export type { AskMethod, CallMethod, LogLevel, Suspension } from "./words.ts";
export { commandLineClient, commandLineClientPath } from "./command-line-client.ts";
