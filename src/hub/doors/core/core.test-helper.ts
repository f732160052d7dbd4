// A hand-written client for tests of the hub's core door.
import { closeNameOf } from "../../../wire/index.ts";
import type { AiOptions } from "../../options/ai-options.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import type { HubOptions } from "../../options/options.ts";
import { openSocket, shop } from "../../test-support/peer.test-helper.ts";
import type { TestModel } from "./model.test-helper.ts";

/** A message as received. */
export type Came = Readonly<Record<string, unknown>>;

export interface CoreClientOptions {
  readonly origin?: string;
  /** The Authorization header of the upgrade. */
  readonly token?: string;
  readonly protocols?: string[];
  /** The conversation to resume. */
  readonly session?: string;
  /** Whether it only uses the bare protocol. */
  readonly isStock?: boolean;
}

export interface CoreClient {
  readonly protocol: string;
  /** All received messages, in order. */
  readonly came: readonly Came[];
  /** The current conversation. */
  readonly session: string;
  /** The values that the server sent. */
  readonly values: Record<string, unknown>;
  say(message: unknown): void;
  sayText(text: string): void;
  /** Runs a command; rejects with the core's error. */
  run(name: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Sets an input and waits until the server has accepted it. */
  set(name: string, value: unknown): Promise<unknown>;
  /** Resolves when a value matches. */
  until(is: (values: Readonly<Record<string, unknown>>) => boolean): Promise<void>;
  close(): Promise<void>;
  /** Pauses and resumes reading. */
  pause(): void;
  resume(): void;
  readonly closed: Promise<readonly [name: string | undefined, reason: string]>;
}

/** Opens a socket to the core door without a first message. */
export async function openCore(url: string, options: CoreClientOptions = {}): Promise<CoreClient> {
  const { origin, token, protocols = [] } = options;
  const { socket, link } = await openSocket(`${url}/ai-agent`, {
    protocols,
    headers: {
      ...(origin === undefined ? {} : { Origin: origin }),
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
  });
  const came: Came[] = [];
  const values: Record<string, unknown> = {};
  const waiting = new Set<() => void>();
  const calls = new Map<string, (answer: Came) => void>();
  let session = "";
  let names: readonly string[] = [];
  let count = 0;

  function take(message: Came | readonly unknown[]): void {
    if (Array.isArray(message)) return grow(message as unknown as Parameters<typeof grow>[0]);
    const one = message as Came;
    if (one["type"] === "sync") {
      Object.assign(values, one["values"]);
      const { pagewire } = (one["capabilities"] ?? {}) as { pagewire?: { session?: string; names: string[] } };
      session = pagewire?.session ?? "";
      names = pagewire?.names ?? [];
    } else if (one["type"] === "update") {
      const { name, keep, rest } = one as { name: string; keep?: number; rest?: string | unknown[] };
      const before = values[name] as string | unknown[];
      values[name] = keep === undefined ? one["value"] : (before.slice(0, keep) as string).concat(rest as string);
    } else {
      calls.get(String(one["id"]))?.(one);
    }
  }

  function grow([at, added, , path = []]: readonly [number, string | unknown[], number?, (string | number)[]?]): void {
    const keys = [names[at] ?? "", ...path];
    const last = keys.pop() ?? "";
    let place = values as Record<string | number, unknown>;
    for (const key of keys) place = place[key] as Record<string | number, unknown>;
    place[last] = (place[last] as string).concat(added as string);
  }

  const closed = new Promise<readonly [string | undefined, string]>((resolve) => {
    link.start({
      message(text) {
        const message = JSON.parse(String(text)) as Came;
        came.push(message);
        take(message);
        for (const look of waiting) look();
      },
      closed({ code, reason }) {
        resolve([closeNameOf(code), reason]);
        for (const answer of calls.values()) answer({ type: "throw", error: { name: "Closed", message: reason } });
      },
    });
  });

  function ask(message: Came): Promise<unknown> {
    const id = `call-${count++}`;
    link.send(JSON.stringify({ ...message, id }));
    return new Promise((resolve, reject) => {
      calls.set(id, (answer) => {
        calls.delete(id);
        if (session !== "") link.send(JSON.stringify({ type: "got", ids: [id] }));
        if (answer["type"] === "throw") reject(Object.assign(new Error("thrown by the core"), answer["error"]));
        else resolve(answer["value"]);
      });
    });
  }

  return {
    protocol: socket.protocol,
    came,
    values,
    closed,
    get session() {
      return session;
    },
    say: (message) => link.send(JSON.stringify(message)),
    sayText: (text) => link.send(text),
    run: (name, ...args) => ask({ type: "cmd", name, args }),
    set: (name, value) => ask({ type: "set", name, value }),
    until: (is) =>
      new Promise((resolve) => {
        const look = () => {
          if (!is(values)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    async close() {
      socket.close();
      await closed;
    },
  };
}

let clients = 0;

/** Opens a conversation; rejects if the hub refuses. */
export async function startCore(url: string, options: CoreClientOptions = {}): Promise<CoreClient> {
  const client = await openCore(url, options);
  const { session, isStock = false } = options;
  const pagewire = { client: `client-${clients++}`, ...(session === undefined ? {} : { session }) };
  client.say({ type: "sync", ...(isStock ? {} : { pagewire }) });
  const refused = () => client.came.find(({ type }) => type === "refused")?.["error"];
  const failure = client.closed.then(([name, reason]) => {
    throw Object.assign(new Error(reason), refused() ?? { code: name });
  });
  await Promise.race([client.until(() => client.came.some(({ type }) => type === "sync")), failure]);
  failure.catch(() => {});
  return client;
}

/** A hub with a scripted model, and a page connected to it. */
export async function startWith(
  model: TestModel,
  ai: Partial<AiOptions> = {},
  options: Partial<HubOptions> = {},
): Promise<{ readonly hub: TestHub; readonly client: CoreClient }> {
  const { fetch } = model;
  const key = ai.getApiKey ? {} : { apiKey: "sk-server" };
  const server = { provider: "openai", model: ["gpt-a", "gpt-b"], ...key, fetch, ...ai } as const;
  const hub = await startHub({ ai: server, ...options });
  return { hub, client: await startCore(hub.url, { origin: shop }) };
}
