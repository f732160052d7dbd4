import { onTestFinished, vi } from "vitest";
import { AiCore, keptAiDeclaration } from "../ai/index.ts";
import type { AiContentPart, AiNotSaved, AiRequestOptions, AiTool } from "../ai/index.ts";
import { RemoteShellProxy, WebSocketServerTransport, createShellSessions } from "../bindable/remote.ts";
import { createModel, show } from "./agent.test-helper.ts";
import type { IWritableRemoteConfig } from "./index.ts";
import { createNetwork } from "./sockets.test-helper.ts";
import type { SocketEnd } from "./sockets.test-helper.ts";

/** A core on a server, which knows its model's address. */
class ServerCore extends AiCore {
  readonly asked: AiRequestOptions[] = [];
  readonly fetch: typeof fetch;
  readonly tools: AiTool[];
  notSaved: AiNotSaved | null = null;

  constructor(model: typeof fetch, tools: AiTool[]) {
    super();
    this.provider = "openai";
    this.fetch = model;
    this.tools = tools;
  }

  tellNotSaved(notSaved: AiNotSaved | null): void {
    this.notSaved = notSaved;
    this.dispatchEvent(new CustomEvent("ai-agent:not-saved-changed", { detail: notSaved }));
  }

  override send(prompt: string | AiContentPart[], options: AiRequestOptions): Promise<string | null> {
    this.asked.push(options);
    const tools = this.tools.length > 0 ? { tools: this.tools } : {};
    return super.send(prompt, { ...options, ...tools, model: "m", fetch: this.fetch });
  }
}

export interface ServerOptions {
  /** `sessions` outlive their sockets, `plain` ones do not, `stock` supports nothing beyond the base protocol. */
  readonly kind?: "sessions" | "plain" | "stock";
  readonly tools?: AiTool[];
}

export const address = "wss://example.com/ai-agent";
export const remote = { remote: { enableRemote: true, remoteCoreUrl: address } };

/** A server of cores with a model, at the other end of every socket. */
export function createServer({ kind = "sessions", tools = [] }: ServerOptions = {}) {
  // Makes the next attempt immediate.
  vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const model = createModel();
  const cores: ServerCore[] = [];
  const conversations = new Map<string, ServerCore>();
  const newCore = () => {
    const core = new ServerCore(model.fetch, tools);
    cores.push(core);
    return core;
  };
  const newSessions = (has: (wanted: string | undefined) => boolean) =>
    createShellSessions({
      declaration: keptAiDeclaration,
      async open(wanted) {
        const id = wanted ?? `conversation-${conversations.size + 1}`;
        if (!has(wanted)) {
          throw Object.assign(new Error("There is no such conversation."), { code: "conversation-not-found" });
        }
        const core = conversations.get(id) ?? newCore();
        conversations.set(id, core);
        return { id, core, close: () => {} };
      },
    });
  const sessions = newSessions((wanted) => wanted === undefined || conversations.has(wanted));
  /** Serves after the server has lost its memory. */
  const anotherLife = (has = (wanted: string | undefined): boolean => wanted === undefined) => {
    const next = newSessions(has);
    return (end: SocketEnd) => next.attach(new WebSocketServerTransport(end), "someone");
  };
  const serve = (end: SocketEnd) => {
    const transport = new WebSocketServerTransport(end);
    if (kind === "sessions") return sessions.attach(transport, "someone");
    const core = newCore();
    void new RemoteShellProxy(core, transport, kind === "plain" ? { declaration: keptAiDeclaration } : {});
    end.addEventListener("close", () => core.abort());
  };
  return { model, cores, conversations, anotherLife, network: createNetwork(serve) };
}

/** An element in remote mode, with a prompt, in a browser that remembers no conversation. */
export function showRemote(markup = `<ai-agent id="chat"></ai-agent>`, config: IWritableRemoteConfig = {}) {
  sessionStorage.clear();
  localStorage.clear();
  const agent = show(markup, { remote: { ...remote.remote, ...config } });
  agent.prompt = "Hello";
  return agent;
}
