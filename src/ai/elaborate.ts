// Loaded by runs that need more than one request: retries, tools, structured answers, partial answers, named speakers, files.
import { createAccount } from "./account.ts";
import type { Account } from "./account.ts";
import { assistantMessage } from "./messages.ts";
import type { Entry } from "./messages.ts";
import { askingWithFreshKey } from "./fresh-key.ts";
import { givingFiles } from "./give-files.ts";
import { namingSpeakers } from "./naming-speakers.ts";
import type { Ask, Run } from "./run.ts";
import { useTools } from "./use-tools.ts";
import type { ToolNeeds } from "./use-tools.ts";
import { toolMessage } from "./tool-message.ts";
import { check, wrong } from "./check.ts";
import type { AiRequestOptions, AiRetryOptions } from "./types.ts";
import { systemClock } from "../link/index.ts";
import { isHttpError } from "./answer.ts";
import type { Answer } from "./answer.ts";

/** Statuses that allow a retry, besides all from 500 on. */
const passing = [408, 409, 425, 429];

/** Retries requests that failed before any of the answer arrived, as often as the options allow. */
function retrying(run: Run, ask: Ask): Ask {
  const { options, signal, state } = run;
  const { retries = 0 } = options;
  const given: AiRetryOptions = typeof retries === "number" ? { attempts: retries } : retries;
  const { attempts, delay = 500, maxDelay = 30_000 } = given;
  return async (asked) => {
    for (let tried = 0; ; tried++) {
      try {
        return await ask(asked);
      } catch (failure) {
        const wait = askedWait(failure) ?? Math.min(delay * 2 ** tried, maxDelay);
        if (signal.aborted || !(tried < attempts && wait <= maxDelay && mayPass(failure, run.answer))) throw failure;
        state.update({ streaming: false });
        await pause(wait, signal);
      }
    }
  };
}

function askedWait(failure: unknown): number | undefined {
  const seconds = isHttpError(failure) ? failure.retryAfter : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}

function mayPass(failure: unknown, answer: Answer | undefined): boolean {
  if (!answer || answer.content || answer.images || answer.reasoning || answer.deltas.length > 0) return false;
  return (
    answer.isLost === true || (isHttpError(failure) && (passing.includes(failure.status) || failure.status >= 500))
  );
}

async function pause(time: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = systemClock.after(time, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop);
  });
}

const retryRules = {
  required: "attempts",
  "an integer of zero or more": "attempts",
  "a number of zero or more": "delay maxDelay",
};

const sourceRules = {
  required: "url",
  "a string": "url name",
  "a plain object": "headers",
  "an array of strings": "tools",
};

const priceRules = {
  required: "input output",
  "a number of zero or more": "input output cached cacheWrite upTo",
};

const toolRules = { "a string": "title origin", "a boolean": "validatesArguments" };

/** Validates the options that only elaborate runs read; throws with the name of an invalid one. */
function validateElaborate(options: AiRequestOptions): void {
  check(options, "", { "a function": "getApiKey" });
  const { retries = 0, toolChoice, mcp = [], tools = [], prices } = options;
  if (typeof retries === "number") check({ retries }, "", { "an integer of zero or more": "retries" });
  else check(retries, "retries.", retryRules);
  if (typeof toolChoice === "object") check(toolChoice, "toolChoice.", { required: "name", "a string": "name" });
  else check({ toolChoice }, "", { "one of auto, none, required": "toolChoice" });
  if (typeof prices === "object") {
    for (const name of Object.keys(prices)) check(prices[name], `prices.${name}.`, priceRules);
  } else if (prices !== undefined && typeof prices !== "boolean" && typeof prices !== "function")
    throw wrong("prices", "a boolean, a table or a function", prices);
  for (const [index, source] of mcp.entries()) {
    if (typeof source !== "string") check(source, `mcp[${index}].`, sourceRules);
  }
  for (const [index, tool] of [tools].flat().entries()) {
    if (tool === "page") continue;
    check(tool, `tools[${index}].`, toolRules);
    const { needsApproval = false } = tool;
    if (typeof needsApproval === "boolean" || typeof needsApproval === "function" || needsApproval === "each-call")
      continue;
    throw wrong(`tools[${index}].needsApproval`, 'a boolean, "each-call" or a function', needsApproval);
  }
}

/** Returns the final message; throws if there is none. */
export async function elaborate(run: Run, { ask, ...needs }: ToolNeeds): Promise<Entry> {
  const { onFailure, responseSchema, retries, prices, getApiKey, apiKey } = run.options;
  validateElaborate(run.options);
  const first = getApiKey && apiKey === undefined ? askingWithFreshKey(ask, getApiKey, run.signal) : ask;
  let asking = givingFiles(namingSpeakers(first), needs.provider);
  const account = prices ? createAccount(run, prices, asking) : undefined;
  if (account) asking = account.ask;
  if (onFailure === "keep") keepPartial(run, account);
  if (responseSchema) asking = showingObject(asking);
  if (retries) asking = retrying(run, asking);
  const last = await useTools(run, { ...needs, ask: asking });
  return { ...last, ...account?.about() };
}

function showingObject(ask: Ask): Ask {
  return ({ show, ...asked }) =>
    ask({ ...asked, show: (answer) => ({ ...show?.(answer), object: parsePartialJson(answer.content) ?? null }) });
}

/** Makes a run that ends without an answer keep its finished messages and the text so far, if there is any. */
function keepPartial(run: Run, account: Account | undefined): void {
  const { state, added, undo } = run;
  run.undo = () => {
    const { answer, open = [] } = run;
    const { content = "", reasoning = "", citations = [], images = [] } = answer ?? {};
    const found = { ...(citations.length > 0 && { citations }), ...(images.length > 0 && { images }) };
    const partial = { ...assistantMessage({ content, reasoning, ...found }), partial: true as const };
    const said = content.trim() || images.length > 0 ? [{ ...partial, ...account?.about() }] : [];
    const kept = [...open.map(toolMessage), ...said];
    const { messages } = state.values;
    const isKept = kept.length > 0 || messages.filter(({ id = "" }) => added.has(id)).length > 1;
    return isKept ? { ...undo(), messages: [...messages, ...kept] } : undo();
  };
}

// A string that may have no end, a bracket, a comma or a colon, or a number or word.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** The readable part of a string that may be cut off. */
const readable = /^"[^"\\]*(?:\\(?:u[\da-f]{4}|[^u])[^"\\]*)*/is;

/**
 * The value of JSON text that may be incomplete, without the parts that are still unknown. Undefined if there is none.
 */
export function parsePartialJson(json: string): unknown {
  const closers: string[] = [];
  let isKey = false;
  let known = "";
  for (const { 0: token, index } of json.matchAll(tokens)) {
    const end = index + token.length;
    if (token === ":") {
      isKey = false;
    } else if (token === ",") {
      isKey = closers[0] === "}";
    } else if (/[[{}\]]/.test(token[0] ?? "")) {
      isKey = token === "{";
      if (token === "{" || token === "[") closers.unshift(isKey ? "}" : "]");
      else closers.shift();
      known = json.slice(0, end);
    } else if (!isKey) {
      // A number or a word at the very end may continue.
      if (token.startsWith('"')) known = `${json.slice(0, index)}${readable.exec(token)?.[0]}"`;
      else if (end < json.length) known = json.slice(0, end);
    }
    if (known !== "" && closers.length === 0) break;
  }
  try {
    return JSON.parse(known + closers.join(""));
  } catch {
    return undefined;
  }
}
