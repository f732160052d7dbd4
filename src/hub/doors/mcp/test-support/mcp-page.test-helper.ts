// A scripted page with any offer that MCP clients see: each call is handed to the test, which decides its outcome.
import type { Offer, OutcomeName, Ran } from "../../../../wire/index.ts";
import type { TestHub } from "../../../test-support/hub.test-helper.ts";
import { connectPage } from "../../../test-support/page.test-helper.ts";
import type { GivenCall, TestPage, TestPageOptions } from "../../../test-support/page.test-helper.ts";

/** One call under the control of a test. */
export interface PageCall {
  readonly name: string;
  readonly method: string;
  /** The parsed input of the page: the arguments, or with `hasInput` these and the caller's answers. */
  readonly payload: unknown;
  readonly hasInput: boolean;
  readonly key: string | undefined;
  /** The kinds of questions that the caller supports. */
  readonly asks: readonly string[];
  /** Whether the caller supports rounds. */
  readonly rounds: boolean;
  /** Asks the caller, and resolves with the answer or with the reason why there is none. */
  ask(method: string, parameters: unknown, name?: string): Promise<unknown>;
  progress(progress: number, more?: { readonly total?: number; readonly message?: string }): void;
  log(level: string, data: unknown, logger?: string): void;
  result(result: unknown, flags?: { readonly isError?: true; readonly inputRequired?: true }): void;
  say(text: string): void;
  fail(failure: PageFailure): void;
  /** The page says goodbye: its document is gone. */
  leave(): void;
  /** Resolves with the reason when the page is asked to abort the call. */
  readonly cancelled: Promise<string | undefined>;
}

export interface PageFailure {
  readonly outcome: OutcomeName;
  readonly ran: Ran;
  readonly code: string;
  readonly message: string;
  readonly retryAfter?: number;
}

export interface McpPage extends Omit<TestPage, "nextCall" | "calls"> {
  /** Every call that arrived, in order. */
  readonly calls: readonly PageCall[];
  nextCall(): Promise<PageCall>;
  /** Replaces the offer; resolves when the hub has it. */
  offer(offer: Partial<Offer>): Promise<void>;
  /** The document is gone for good. */
  leave(): void;
  /** Reports that a resource has changed. */
  updated(uri: string): void;
}

export interface McpPageOptions extends Omit<TestPageOptions, "handle" | "tools"> {
  readonly offer?: Partial<Offer>;
  /** Whether it acks calls at once, as honest pages do. */
  readonly acks?: boolean;
  /** The page's handling of a call; by default the test handles it. */
  readonly handle?: (call: PageCall) => void | Promise<void>;
}

/** Connects a page with an offer, by default of one tool, `work`. */
export async function connectMcpPage(hub: Pick<TestHub, "url">, options: McpPageOptions = {}): Promise<McpPage> {
  const { offer = { tools: [toolOf("work")] }, acks = true, handle, ...rest } = options;
  const calls: PageCall[] = [];
  const waiting: ((call: PageCall) => void)[] = [];
  const untaken: PageCall[] = [];
  const page: TestPage = await connectPage(hub.url, {
    ...rest,
    tools: offer.tools ?? [],
    handle(given, self) {
      const call = playCall(given, self);
      calls.push(call);
      if (acks) self.ack(given.id);
      void handle?.(call);
      const take = waiting.shift();
      if (take) take(call);
      else untaken.push(call);
    },
  });
  const mcpPage: McpPage = {
    ...page,
    calls,
    nextCall() {
      const call = untaken.shift();
      return call ? Promise.resolve(call) : new Promise((resolve) => waiting.push(resolve));
    },
    async offer(next) {
      page.send({ type: "offer" }, JSON.stringify(next));
      await page.settled();
    },
    leave: () => page.send({ type: "bye" }),
    updated: (uri) => page.send({ type: "updated", uri }),
  };
  if (offer.prompts ?? offer.resources ?? offer.resourceTemplates) await mcpPage.offer(offer);
  return mcpPage;
}

/** A tool with this name that accepts any object. */
export function toolOf(name: string): Offer["tools"][number] {
  return { name, inputSchema: { type: "object", properties: {} } };
}

interface CallFields {
  readonly method: string;
  readonly asks?: readonly string[];
  readonly rounds?: boolean;
  readonly input?: boolean;
}

function playCall(given: GivenCall, page: TestPage): PageCall {
  const { id, name, key } = given;
  const { method, asks = [], rounds = false, input = false } = given as GivenCall & CallFields;
  let questions = 0;
  return {
    name,
    method,
    key,
    asks,
    rounds,
    payload: JSON.parse(given.arguments || "{}") as unknown,
    hasInput: input,
    async ask(asked, parameters, ask = `q${++questions}`) {
      page.send({ type: "ask", id, ask, method: asked }, JSON.stringify(parameters));
      return answerTo(page, id, ask);
    },
    progress: (progress, more) => page.send({ type: "progress", id, progress, ...more }),
    log: (level, data, logger) => page.send({ type: "log", id, level, logger }, JSON.stringify(data)),
    result: (result, flags) => page.send({ type: "result", id, ...flags }, JSON.stringify(result)),
    say: (text) => page.result(id, JSON.stringify({ content: [{ type: "text", text }] })),
    fail: (failure) => page.send({ type: "failure", id, ...failure }),
    leave: () => page.send({ type: "bye" }),
    get cancelled() {
      return cancelOf(page, id);
    },
  };
}

async function answerTo(page: TestPage, id: string, ask: string): Promise<unknown> {
  const { frame, payload } = await frameOf(
    page,
    (one) => one.type === "answer" && one["id"] === id && one["ask"] === ask,
  );
  return payload === "" ? { code: frame["code"], message: frame["message"] } : (JSON.parse(payload) as unknown);
}

async function cancelOf(page: TestPage, id: string): Promise<string | undefined> {
  const { frame } = await frameOf(page, (one) => one.type === "cancel" && one["id"] === id);
  return frame["reason"] as string | undefined;
}

type AnyFrame = { readonly type: string; readonly [field: string]: unknown };

/** The first matching frame, even if it came earlier; several waiters may share a frame type. */
async function frameOf(
  page: TestPage,
  isWanted: (frame: AnyFrame) => boolean,
): Promise<{ readonly frame: AnyFrame; readonly payload: string }> {
  for (;;) {
    const found = page.received.find(({ frame }) => isWanted(frame as AnyFrame));
    if (found) return found as { readonly frame: AnyFrame; readonly payload: string };
    await new Promise((resolve) => page.socket.once("message", () => setImmediate(resolve)));
  }
}
