// One connection to an MCP server: depending on the revision a session, or stateless requests and one notification
// stream. Reports its end once; connection.ts reconnects.
import type { Client } from "@modelcontextprotocol/client";
import { unlessAborted } from "../toolbox/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { JsonObject, ObjectSchema } from "../wire/index.ts";
import { createClient } from "./create-client.ts";
import type { ClientEvents } from "./create-client.ts";
import { createTransport } from "./create-transport.ts";
import type { Sdk } from "./create-transport.ts";
import { settledWithin } from "./deadline.ts";
import { busyError, isExpired, isMalformed, shownAddress } from "./failures.ts";
import { heldText, holdResults } from "./held-transport.ts";
import { declaresChanges, listen } from "./listen.ts";
import type { Subscription } from "./listen.ts";
import type { McpHandshake, SessionOptions } from "./mcp-toolbox.ts";

export interface SessionEvents extends ClientEvents {
  /** The session is over, but its running calls may still be answered. */
  lost(session: Session, reason: unknown): void;
  /** Nothing is running in it any more. */
  ended(session: Session): void;
  /** Reports an error that belongs to no request. */
  problem(error: unknown): void;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly timeout: number;
  /** The input schema of the called tool. */
  readonly inputSchema?: ObjectSchema;
  onProgress?(progress: number, total?: number, message?: string): void;
}

/** A server's result as JSON text, or its questions. */
export type Reply = { readonly text: string } | { readonly inputRequired: JsonObject };

export type SendRequest = (method: string, params: JsonObject, options: RequestOptions) => Promise<Reply>;

/** Connects with one of the handshakes; rejects with the error of the SDK or of the network. */
export async function connect(
  options: SessionOptions,
  events: SessionEvents,
  handshake: McpHandshake,
): Promise<Session> {
  const { sdk } = await import("./sdk.ts");
  const session = new Session(sdk, { options, events, handshake });
  await session.start();
  return session;
}

interface SessionNeeds {
  readonly options: SessionOptions;
  readonly events: SessionEvents;
  readonly handshake: McpHandshake;
}

export class Session {
  readonly client: Client;
  readonly #needs: SessionNeeds;
  readonly #connection: ReturnType<typeof createTransport>;
  readonly #over = new AbortController();
  #state: "up" | "lost" | "closed" = "up";
  #running = 0;
  /** How many of them are no reads of lists. */
  #calling = 0;
  #subscription: Subscription | undefined;
  /** Whether a session's notification stream was opened. */
  readonly #answered: Promise<boolean>;
  #hadStream = false;
  #isWithoutStream = false;
  #lastError: unknown;

  /** Not connected yet: `connect` returns one that is. */
  constructor(sdk: Sdk, needs: SessionNeeds) {
    const { options, events, handshake } = needs;
    const { signal } = this.#over;
    this.#needs = needs;
    let answered = (_isOpen: boolean): void => {};
    this.#answered = new Promise((resolve) => (answered = resolve));
    this.#connection = createTransport(sdk, options, {
      stuck: () => this.#lost(new Error(stuckStream), "at once"),
      isCalling: () => this.#calling > 0,
      answered: (answer) => {
        this.#hadStream = answer?.ok === true;
        this.#isWithoutStream = answer?.status === 405 && isJson(answer);
        answered(this.#hadStream);
      },
      reopened: () => signal.aborted || this.#readAgain(),
      problem: (error) => signal.aborted || events.problem(error),
    });
    this.client = createClient(sdk, options, {
      events: { ...events, listChanged: (list) => signal.aborted || events.listChanged(list) },
      negotiation:
        handshake === "initialize"
          ? { mode: "legacy" }
          : { mode: { pin: newestVersion }, probe: { timeoutMs: options.limits.connectTime } },
    });
    this.client.onclose = () => this.#lost(new Error("The connection was closed."));
    this.client.onerror = (error) => {
      // The SDK reports some twice.
      if (error === this.#lastError) return;
      this.#lastError = error;
      if (this.#hasId && isExpired(error, this.#hadStream)) this.#lost(forgotten(options.url, error));
      else if (isMalformed(error)) events.problem(error);
    };
  }

  /** Aborted when the session is over. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * Whether the server may tell its changes to clients of the newer era, as it tells older ones nothing: it keeps no sessions
   * for them. It has said so as MCP servers do; a script, which answers by position, is not asked.
   */
  get isWithoutNews(): boolean {
    return this.#isWithoutStream && !this.#hasId && declaresChanges(this.client);
  }

  /** Another session replaces this one: what runs in it may still be answered. */
  retire(): void {
    this.#lost(new Error("Another session has replaced this one."));
  }

  /** Sends a request. Rejects with the SDK's errors. */
  async request(...given: Parameters<SendRequest>): Promise<Reply> {
    const calls = given[0].endsWith("/list") ? 0 : 1;
    this.#running++;
    this.#calling += calls;
    try {
      return await send(this.client, ...given);
    } finally {
      this.#running--;
      this.#calling -= calls;
      if (this.#state === "lost" && this.#running === 0) void this.#shut();
    }
  }

  /** Subscribes to these resources, if the server supports it. */
  follow(uris: readonly string[]): void {
    this.#subscription?.follow(uris);
  }

  /** Ends the session and everything that runs in it. Can be called twice. */
  async close(): Promise<void> {
    if (this.#state === "closed") return;
    const isUp = this.#state === "up";
    this.#state = "closed";
    this.#over.abort();
    if (isUp) await this.#sayGoodbye();
    await this.#shut();
  }

  async start(): Promise<void> {
    try {
      await unlessAborted(this.#open(), this.#needs.options.signal);
    } catch (error) {
      this.#state = "closed";
      await this.#sayGoodbye();
      await this.#shut();
      // During the SDK's version negotiation, the client does not own the transport yet.
      await this.#connection.transport.close();
      const { handshake, options } = this.#needs;
      const busy = handshake === "discover" ? this.#connection.busyStatus() : undefined;
      throw busy === undefined || options.signal?.aborted ? error : busyError(busy, error);
    }
  }

  async #open(): Promise<void> {
    const { options, events } = this.#needs;
    const { authorizationResponse, follow, signal, limits } = options;
    const { transport } = this.#connection;
    const timeout = limits.connectTime;
    signal?.throwIfAborted();
    if (authorizationResponse) await transport.finishAuth(authorizationResponse as never);
    signal?.throwIfAborted();
    await this.client.connect(holdResults(transport), { timeout });
    if (!follow) return;
    const subscription = listen(this.client, {
      ...options,
      waitBefore: this.#connection.waitBefore,
      lost: (reason) => this.#lost(reason),
      reopened: () => this.#readAgain(),
      problem: events.problem,
      timeout,
    });
    this.#subscription = subscription;
    await this.#untilOpen(this.#isModern ? subscription.opened : this.#answered);
  }

  get #isModern(): boolean {
    return this.client.getProtocolEra() === "modern";
  }

  get #hasId(): boolean {
    return this.#connection.transport.sessionId !== undefined;
  }

  /** Earlier requests may still be answered, unless their own stream is stuck. */
  #lost(reason: unknown, how: "at once" | "in time" = "in time"): void {
    if (this.#state === "closed") return;
    const isFirst = this.#state === "up";
    this.#state = "lost";
    this.#over.abort(reason);
    this.#subscription?.close();
    if (how === "at once" || this.#running === 0) void this.#shut();
    if (isFirst) this.#needs.events.lost(this, reason);
  }

  /** Reports all lists that the server declares as changing. */
  #readAgain(): void {
    const offered = this.client.getServerCapabilities();
    for (const list of ["tools", "resources", "prompts"] as const) {
      if (offered?.[list]?.listChanged) this.#needs.events.listChanged(list);
    }
  }

  /** Lists are read after the notification stream was opened; if that takes long, before and after. */
  async #untilOpen(opened: Promise<boolean>): Promise<void> {
    if ((await settledWithin(opened, streamAnswerTime)) !== undefined) return;
    void opened.then((isOpen) => isOpen && !this.#over.signal.aborted && this.#readAgain());
  }

  #shut(): Promise<void> {
    this.#state = "closed";
    this.#over.abort();
    this.#connection.stopTimers();
    this.#subscription?.close();
    this.#needs.events.ended(this);
    return this.client.close();
  }

  /** Ends the session at the server, but does not wait long for a server that fails to answer. */
  async #sayGoodbye(): Promise<void> {
    if (!this.#hasId) return;
    const { clock, limits } = this.#needs.options;
    let stop = () => {};
    const enough = new Promise<void>((resolve) => (stop = clock.after(limits.farewellTime, resolve)));
    await Promise.race([this.#connection.transport.terminateSession().catch(() => {}), enough]);
    stop();
  }
}

/** With any parameters of its media type. */
function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() === "application/json";
}

/** The revision that `server/discover` is asked for. */
const newestVersion = "2026-07-28";

/** How long the first read of the lists waits for the notification stream. */
const streamAnswerTime = 200;

function forgotten(url: string, cause: unknown): PagewireError {
  const message = `The MCP server at ${shownAddress(url)} has forgotten the session.`;
  return new PagewireError("server-unreachable", message, { cause });
}

const stuckStream = "A stream of its session ended, and cannot be opened again.";

async function send(client: Client, ...[method, params, options]: Parameters<SendRequest>): Promise<Reply> {
  const { signal, timeout, inputSchema, onProgress } = options;
  const given = {
    timeout,
    allowInputRequired: true,
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onprogress: (given: Progress) => onProgress(given.progress, given.total, given.message) } : {}),
  };
  const result: unknown = inputSchema
    ? // The SDK repeats in headers what the tool's schema wants repeated there.
      await client.callTool(params as never, { ...given, toolDefinition: { ...params, inputSchema } as never })
    : await client.request({ method, params }, anyResult, given);
  const text = heldText(result);
  return text === undefined ? { inputRequired: result as JsonObject } : { text };
}

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** The list was read before. */
const anyResult = {
  "~standard": { version: 1, vendor: "pagewire", validate: (value: unknown) => ({ value }) },
} as const;
