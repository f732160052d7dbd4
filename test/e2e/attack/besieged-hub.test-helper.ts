// A hub in jwt mode as a process of its own, with two tenants: one attacks it, the other is an innocent bystander.
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signAgentToken, signPageToken } from "pagewire/hub";
import { encodeFrame } from "pagewire/wire";
import { WebSocket } from "ws";
import { startHub } from "../support/hub-process.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { callerOf } from "../support/world.ts";
import type { CallByHttp } from "../support/world.ts";

/** The hub trusts every token that this secret signs. It is long enough for every HMAC algorithm. */
export const secret = "a secret that is only for these tests, and long enough for all hashes";
export const issuer = "https://app.example";

export interface BesiegedHub {
  readonly hub: HubProcess;
  /** Opens a page's socket for this person, sends hello, and waits for the hub's reply. */
  openPage(person: string, more?: { readonly tab?: string }): Promise<HostilePage>;
  pageToken(person: string): Promise<string>;
  agentToken(person: string): Promise<string>;
  /** The endpoint and token of this person's agents. */
  door(person: string): Promise<{ readonly url: string; readonly token: string }>;
  agent(person: string): Promise<CallByHttp>;
  /** The value of a line of /metrics, such as `pagewire_tabs`; zero if there is none. */
  metric(name: string): Promise<number>;
  /** The process's memory, in bytes. */
  memory(): number;
  close(): Promise<void>;
}

/** A page whose frames a test sends by hand. */
export interface HostilePage {
  readonly socket: WebSocket;
  /** The frames that the hub sent, without their payloads. */
  readonly heard: readonly { readonly type: string; readonly [field: string]: unknown }[];
  offer(tools: readonly object[]): void;
  /** Answers every call with this, as soon as it arrives. */
  answerWith(payload: string): void;
}

/** The hub has no model, unless the arguments name one. */
export async function besiegeHub(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<BesiegedHub> {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-besieged-"));
  const secretFile = join(folder, "secret");
  writeFileSync(secretFile, secret, { mode: 0o600 });
  const model = args.includes("--model") ? [] : ["--no-model"];
  const usual = ["--json", "--no-demo", ...model, "--jwt-secret-file", secretFile, "--issuer", issuer];
  const hub = await startHub({ args: [...usual, ...args], env });
  const sockets = new Set<WebSocket>();
  let tabs = 0;

  const pageToken = (person: string) => signPageToken({ secret, subject: person, issuer });
  const agentToken = (person: string) => signAgentToken({ secret, subject: person, issuer });

  async function openPage(person: string, { tab = `tab-${++tabs}` } = {}): Promise<HostilePage> {
    const token = await pageToken(person);
    const socket = new WebSocket(`${hub.url.replace("http", "ws")}/page`, {
      headers: { Origin: "https://shop.example" },
    });
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    await once(socket, "open");
    const heard: { type: string; [field: string]: unknown }[] = [];
    let answer: string | undefined;
    socket.on("message", (data: Buffer) => {
      const [head = ""] = data.toString("utf8").split("\n", 1);
      const frame = JSON.parse(head) as (typeof heard)[number];
      heard.push(frame);
      if (frame.type !== "call" || answer === undefined) return;
      socket.send(encodeFrame({ type: "ack", id: frame["id"] }, ""));
      socket.send(encodeFrame({ type: "result", id: frame["id"] }, answer));
    });
    const hello = { versions: [1], tab, app: "shop", title: "A shop", focused: true, running: [], epochs: ["epoch"] };
    const answered = Promise.race([once(socket, "message"), once(socket, "close")]);
    socket.send(encodeFrame({ type: "hello", ...hello, token }, ""));
    await answered;
    return {
      socket,
      heard,
      offer: (tools) => socket.send(encodeFrame({ type: "offer" }, JSON.stringify({ tools }))),
      answerWith: (payload) => (answer = payload),
    };
  }

  return {
    hub,
    openPage,
    pageToken,
    agentToken,
    door: async (person) => ({ url: hub.url, token: await agentToken(person) }),
    agent: async (person) => callerOf(hub.url, await agentToken(person)),
    async metric(name) {
      const headers = { Authorization: `Bearer ${await agentToken("keeper")}` };
      const text = await (await fetch(`${hub.url}/metrics`, { headers })).text();
      const line = text.split("\n").find((one) => one.startsWith(`${name} `));
      return Number(line?.slice(name.length) ?? 0);
    },
    memory() {
      const status = readFileSync(`/proc/${hub.process.pid}/status`, "utf8");
      return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    },
    async close() {
      for (const socket of sockets) socket.terminate();
      await hub.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
