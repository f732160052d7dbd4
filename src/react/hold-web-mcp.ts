// The tools of remote MCP servers in the browser, for one component: connected shortly after it mounts, and removed
// when it unmounts.
import { registerWebMcp } from "../webmcp/index.ts";
import type {
  McpTool,
  RefusedTool,
  WebMcpHandle,
  WebMcpProgress,
  WebMcpOptions,
  WebMcpServersOptions,
} from "../webmcp/index.ts";
import { messageOf } from "../wire/index.ts";
import { describesSame } from "./describes-same.ts";

/** The state of the servers' tools. */
export interface WebMcpStanding {
  /**
   * idle: there are no options. connecting: waiting for the servers. ready: the browser has their tools. unavailable:
   * there is no model context yet. failed: no server answered, and `error` has the reason; `refresh` tries again.
   */
  readonly status: "idle" | "connecting" | "ready" | "unavailable" | "failed";
  /** The names that the browser has, with their prefixes. */
  readonly tools: readonly string[];
  /** The tools that it does not have, each with why. */
  readonly refused: readonly RefusedTool[];
  /** The last error, until something succeeds again. */
  readonly error: Error | undefined;
}

export const starting: WebMcpStanding = { status: "connecting", tools: [], refused: [], error: undefined };

export interface HeldWebMcp {
  /** Reads the lists again, or retries. Never rejects: `error` has the failure. */
  refresh(): Promise<void>;
  /** Removes the tools at once. Can be called twice. */
  end(): void;
}

export interface HoldWebMcpOptions {
  readonly content: Content;
  readonly newest: () => UseWebMcpOptions | undefined;
  /** Receives each change, until the end. */
  onStanding(standing: WebMcpStanding): void;
  /** Receives the failure of the start, too. */
  onError(error: Error): void;
}

export function holdWebMcp({ content, newest, onStanding, onError }: HoldWebMcpOptions): HeldWebMcp {
  const life = new AbortController();
  const { signal } = life;
  let handle: WebMcpHandle | undefined;
  let connecting: Promise<void> | undefined;
  let given = newest;
  let standing = starting;

  function publish(update: Partial<WebMcpStanding>): void {
    const next = { ...standing, ...update };
    if (signal.aborted || describesSame(standing, next)) return;
    standing = next;
    onStanding(standing);
  }

  const whatThereIs = () =>
    handle ? ({ status: "ready", tools: handle.tools, refused: handle.refused } as const) : {};

  function fail(thrown: unknown, update: Partial<WebMcpStanding> = {}): void {
    if (signal.aborted) return;
    const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
    publish({ ...update, error });
    onError(error);
  }

  const { user: _user, ...options } = newestFunctions(content, () => given());
  const listeners = {
    onSync(tools: McpTool[]) {
      publish({ ...whatThereIs(), error: undefined });
      given()?.onSync?.(tools);
    },
    onError: (error: Error) => fail(error, whatThereIs()),
    onProgress: (update: WebMcpProgress) => given()?.onProgress?.(update),
  };

  async function connect(): Promise<void> {
    publish({ status: "connecting" });
    try {
      handle = await registerWebMcp({ ...options, ...listeners, signal });
      publish(whatThereIs());
    } catch (error) {
      fail(error, { status: "failed" });
    } finally {
      connecting = undefined;
    }
  }

  // The first effect of StrictMode is over by then, and nothing was connected for it.
  connecting = Promise.resolve().then(() => (signal.aborted ? undefined : connect()));

  return {
    refresh: () => (handle ? handle.refresh().catch(fail) : (connecting ??= connect())),
    end() {
      if (signal.aborted) return;
      // Later requests still go out with the credentials of the former user.
      const last = newest();
      given = () => last;
      life.abort();
    },
  };
}

type Fields = Record<string, unknown>;

/**
 * A copy whose functions, at any depth in plain objects and lists, call those at the same place in the newest value.
 * Objects that are not plain, such as class instances, are used as they are.
 */
export function newestFunctions<Value>(
  value: Value,
  newest: () => unknown,
  copies = new Map<unknown, unknown>(),
): Value {
  if (!isFollowed(value)) return value;
  // For circular references.
  if (copies.has(value)) return copies.get(value) as Value;
  const copy = (Array.isArray(value) ? [] : {}) as Fields;
  copies.set(value, copy);
  const partOf = (owner: unknown, name: string): unknown => Reflect.get(Object(owner) as object, name);

  function follow(given: Function, name: string): Function {
    return function (this: unknown, ...parameters: unknown[]): unknown {
      const owner = newest();
      const now = partOf(owner, name);
      // A method keeps its `this` if its object is the same in each render.
      const self = this === copy && owner === value ? owner : this;
      return Reflect.apply(typeof now === "function" ? now : given, self, parameters);
    };
  }

  for (const [name, part] of Object.entries(value)) {
    copy[name] =
      typeof part === "function" ? follow(part, name) : newestFunctions(part, () => partOf(newest(), name), copies);
  }
  return copy as Value;
}

function isFollowed(value: unknown): value is Fields {
  return Array.isArray(value) || (Object(value) === value && Object.getPrototypeOf(value) === Object.prototype);
}

/**
 * The options of `registerWebMcp`; the component's lifetime is its `signal`. Instances of a class, such as an
 * `authProvider`, are compared by identity: create them once, not in each render.
 */
export type UseWebMcpOptions = (Omit<WebMcpOptions, "signal"> | Omit<WebMcpServersOptions, "signal">) & {
  /** The user of these tools, such as an id, if a function returns the headers. Null or "" means signed out. */
  readonly user?: string | null;
};

/** The options that need a new bridge; undefined for none. Callbacks can change while it lives. */
export function contentOf(options: UseWebMcpOptions | null | undefined | false) {
  if (!options || options.user === null || options.user === "") return undefined;
  const { onSync: _onSync, onError: _onError, onProgress: _onProgress, ...content } = options;
  return content;
}

type Content = NonNullable<ReturnType<typeof contentOf>>;
