import type { CallEnvironment, CallOutcome } from "../toolbox/index.ts";
import { createListeners, logError, unlessAborted } from "../toolbox/index.ts";
import { fillInLimits, isJsonObject, PagewireError, parseUrl } from "../wire/index.ts";
import type { JsonObject, OfferChange } from "../wire/index.ts";
import { answer, callRemote } from "./call-remote.ts";
import type { RemoteCall } from "./call-remote.ts";
import { createConnection } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { inTime } from "./deadline.ts";
import { connectError, shownAddress } from "./failures.ts";
import { mcpLimits } from "./mcp-limits.ts";
import type { McpClock, McpToolbox, McpToolboxOptions, SessionOptions } from "./mcp-toolbox.ts";
import type { Session } from "./session.ts";
import { kinds } from "./parse-items.ts";
import { createOfferKeeper } from "./offer-keeper.ts";
import type { OfferKeeper } from "./offer-keeper.ts";

/** Connects to a remote MCP server by Streamable HTTP. Rejects with a `PagewireError` that names its address. */
export async function connectMcpToolbox(address: string | URL, options: McpToolboxOptions = {}): Promise<McpToolbox> {
  const { onError = logError, lists = kinds, anyNames } = options;
  const settings = sessionOptions(address, options);
  const { url, limits, clock, random, follow } = settings;
  const server = shownAddress(url);
  const problem = (error: unknown) => onError(asSentence(error, server), { stage: "mcp server" });
  const changes = createListeners<OfferChange>(onError);
  const updates = createListeners<string>(onError);
  const returns = createListeners<void>(onError);
  if (options.onReached) returns.add(options.onReached);
  const running = new Set<Pick<CallEnvironment, "ask">>();
  const read = new Set<string>();
  const keeper = createOfferKeeper({
    ...{ lists, limits, anyNames, clock, random, follow, problem },
    changed: changes.tell,
    leftOut: (reason) => onError(reason, { stage: "mcp offer" }),
  });
  let known: Session["client"] | undefined;

  const connection = createConnection(settings, {
    problem,
    away: (error) => onError(error, { stage: "mcp connection" }),
    back: returns.tell,
    resourceUpdated: updates.tell,
    async opened(session) {
      await keeper.read(session);
      known = session.client;
      session.follow([...read]);
    },
    listChanged(session, list) {
      keeper.readSoon(session, list === "resources" ? ["resources", "resourceTemplates"] : [list]);
    },
    ask(method, parameters) {
      const [caller, ...others] = running;
      // This question does not name the call that it belongs to.
      return answer(method, parameters, caller && others.length === 0 ? caller : nobody);
    },
  });

  async function run(call: RemoteCall, environment: CallEnvironment): Promise<CallOutcome> {
    const caller = { ask: (...question: Parameters<CallEnvironment["ask"]>) => environment.ask(...question) };
    running.add(caller);
    try {
      return await callRemote(call, environment, { server, connection });
    } finally {
      running.delete(caller);
    }
  }

  await reach(connection, keeper, options);
  return {
    url,
    get server() {
      return known?.getServerVersion();
    },
    get instructions() {
      return known?.getInstructions();
    },
    offer: keeper.offer,
    subscribe: changes.add,
    onResourceUpdated: updates.add,
    async callTool(name, input = {}, environment) {
      const tool = keeper.offer().tools.find((one) => one.name === name);
      if (!tool) return refused("tool-not-found", `The MCP server at ${server} offers no tool "${name}".`);
      if (!isSendable(input)) return notSendable(name);
      const { inputSchema } = tool;
      return run({ method: "tools/call", params: { name, arguments: input }, inputSchema }, environment);
    },
    async readResource(uri, environment) {
      const outcome = await run({ method: "resources/read", params: { uri } }, environment);
      if (outcome.kind === "result" && follow && read.size < limits.followedResources) {
        read.add(uri);
        connection.session().then(
          (session) => session.follow([...read]),
          () => {},
        );
      }
      return outcome;
    },
    async getPrompt(name, input = {}, environment) {
      if (!isSendable(input)) return notSendable(name);
      return run({ method: "prompts/get", params: { name, arguments: input } }, environment);
    },
    complete: (parameters, environment) => run({ method: "completion/complete", params: parameters }, environment),
    leftOut: keeper.leftOut,
    async refresh() {
      const read = async () => keeper.read(await connection.session());
      await inTime(limits.connectTime, server, (signal) =>
        // The server may have restarted since, or have forgotten the session: it is then read in a new one.
        read().catch(() => (signal.throwIfAborted(), read())),
      ).catch((error: unknown) => Promise.reject(connectError(error, server)));
    },
    async close() {
      changes.clear();
      updates.clear();
      keeper.close();
      await connection.close();
    },
  };
}

/** Our own errors are sentences. */
function asSentence(error: unknown, server: string): PagewireError {
  return PagewireError.isInstance(error) ? error : connectError(error, server);
}

/** Receives a question whose call is unknown. */
const nobody = {
  ask: () => Promise.reject(new PagewireError("ask-unsupported", "It cannot be told whose call asks.")),
};

function sessionOptions(address: string | URL, options: McpToolboxOptions): SessionOptions {
  const { handshake = "discover", follow = true, clock = systemClock, random = Math.random } = options;
  const { asks = ["elicitation/create", "sampling/createMessage"] } = options;
  const limits = fillInLimits(mcpLimits, options.limits);
  return { ...options, url: parseAddress(address), handshake, follow, asks, limits, clock, random };
}

/** Opens the first session. Rejects if there is none, unless the server may be unreachable at first. */
async function reach(
  connection: Connection,
  keeper: OfferKeeper,
  { signal, onUnreached }: McpToolboxOptions,
): Promise<void> {
  try {
    await unlessAborted(connection.session(), signal);
  } catch (error) {
    if (onUnreached && !signal?.aborted) return onUnreached(error);
    // The signal may abort once a session exists, which would then leak.
    keeper.close();
    void connection.close();
    throw error;
  }
}

function parseAddress(address: string | URL): string {
  const url = parseUrl(String(address));
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url.href;
  throw new PagewireError(
    "options-invalid",
    "The address of an MCP server must be a URL such as https://example.com/mcp, without a user and a password in it.",
  );
}

function isSendable(input: unknown): input is JsonObject {
  try {
    return isJsonObject(input) && JSON.stringify(input) !== undefined;
  } catch {
    return false;
  }
}

function notSendable(name: string): CallOutcome {
  return refused("arguments-malformed", `The arguments of "${name}" must be a JSON object.`);
}

function refused(code: "tool-not-found" | "arguments-malformed", message: string): CallOutcome {
  return { kind: "refused", code, message };
}

const systemClock: McpClock = {
  now: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
