// A page that looks to the hub like one of its own origin: it uses the wire protocol, and the test controls it.
import { WebSocket } from "ws";
import { connectSocket } from "../../link/index.ts";
import { defaultLimits, encodeFrame, parseFrame, textOf, toPage } from "../../wire/index.ts";
import type { CallToolResult, FrameFromPage, FrameToPage, Json, JsonObject, Tool } from "../../wire/index.ts";

type Frame<Type extends FrameToPage["type"]> = Extract<FrameToPage, { type: Type }>;

/** One call, in the hands of the test's handler. */
export interface PageCall {
  readonly name: string;
  readonly input: JsonObject;
  readonly frame: Frame<"call">;
  readonly signal: AbortSignal;
  say(frame: FrameFromPage, payload?: Json): void;
  ask(parameters: JsonObject): Promise<Json>;
}

export interface TestPage {
  readonly tabId: string;
  /** Every received call. */
  readonly calls: readonly PageCall[];
  readonly firstCall: Promise<PageCall>;
  close(): void;
}

export interface TestPageOptions {
  readonly hub: string;
  readonly title?: string;
  readonly tools?: readonly Tool[];
  /** Returns the result; until then the call runs. */
  handle?(call: PageCall): Promise<CallToolResult | JsonObject>;
}

export const someTool: Tool = {
  name: "greet",
  description: "Greets somebody.",
  inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  annotations: { readOnlyHint: true },
};

/** Connects a page and offers its tools; resolves once the hub knows them. */
export async function connectTestPage({
  hub,
  title = "A page",
  tools = [someTool],
  handle = greet,
}: TestPageOptions): Promise<TestPage> {
  const link = await connectSocket({ url: `${hub.replace("http", "ws")}/page`, WebSocket, headers: { origin: hub } });
  const send = (frame: FrameFromPage, payload?: Json) =>
    link.send(encodeFrame(frame, payload === undefined ? undefined : JSON.stringify(payload)));
  const calls: PageCall[] = [];
  const aborters = new Map<string, AbortController>();
  const answers = new Map<string, (answer: Json) => void>();
  let called: (call: PageCall) => void = () => {};
  const firstCall = new Promise<PageCall>((resolve) => (called = resolve));
  let welcomed: (tab: string) => void = () => {};
  const tabId = new Promise<string>((resolve) => (welcomed = resolve));

  async function run(frame: Frame<"call">, payload: string): Promise<void> {
    const { id, name } = frame;
    const aborter = new AbortController();
    aborters.set(id, aborter);
    send({ type: "ack", id });
    const call: PageCall = {
      name,
      frame,
      input: JSON.parse(payload || "{}") as JsonObject,
      signal: aborter.signal,
      say: send,
      ask(parameters) {
        send({ type: "ask", id, ask: "q", method: "elicitation/create" }, parameters);
        return new Promise((resolve) => answers.set(id, resolve));
      },
    };
    calls.push(call);
    called(call);
    const result = (await handle(call)) as JsonObject;
    send({ type: "result", id, ...(result["isError"] === true ? { isError: true } : {}) }, result);
  }

  link.start({
    closed: () => {},
    message(message) {
      const parsed = parseFrame(toPage, message, defaultLimits);
      if (parsed.kind !== "frame") throw new Error("The hub sent what is no frame.");
      const { frame } = parsed;
      const payload = textOf(parsed.payload);
      if (frame.type === "welcome") welcomed(frame.tab);
      if (frame.type === "call") void run(frame, payload);
      if (frame.type === "cancel") aborters.get(frame.id)?.abort(frame.reason);
      if (frame.type === "answer")
        answers.get(frame.id)?.(payload === "" ? (frame.code ?? null) : (JSON.parse(payload) as Json));
    },
  });
  const url = `${hub}/demo/?secret=1`;
  send({
    type: "hello",
    versions: [1],
    tab: crypto.randomUUID(),
    app: "test-app",
    title,
    url,
    focused: true,
    running: [],
  });
  const tab = await tabId;
  send({ type: "offer" }, { tools, resources: [], resourceTemplates: [], prompts: [] } as unknown as Json);
  return { tabId: tab, calls, firstCall, close: () => link.close() };
}

async function greet({ input }: PageCall): Promise<CallToolResult> {
  return { content: [{ type: "text", text: `Hello ${JSON.stringify(input["name"])}!` }] };
}
