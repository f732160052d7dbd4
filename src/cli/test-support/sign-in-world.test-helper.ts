// A real identity provider, a hub over TLS that takes its tokens, and the real command in processes of its own, which trust that hub.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { onTestFinished } from "vitest";
import { certificate } from "../../../test/support/certificates.ts";
import { startProvider } from "../../../test/support/identity-provider.ts";
import type { TestProvider, TestProviderOptions } from "../../../test/support/identity-provider.ts";
import { openState } from "../../state/index.ts";
import { commandLineClient, commandLineClientPath } from "../../wire/index.ts";
import { buildCommand } from "../mcp/test-support/command.test-helper.ts";

let built: ReturnType<typeof buildCommand> | undefined;

/** Removes the command that the tests of a file have built. */
export async function removeCommand(): Promise<void> {
  (await built)?.remove();
  built = undefined;
}

export interface FakeHub {
  readonly url: string;
  /** The requests that came, as "GET /api/status", with the bearer. */
  readonly requests: { readonly line: string; readonly bearer: string | undefined }[];
  /** Tokens that are valid, and are refused. */
  readonly refused: Set<string>;
  /** The hub's metadata, changed by tests. */
  metadata: Record<string, unknown>;
  /** Answers in the place of the hub; returns whether it did. */
  answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  /** Resolves with the match once this was written to either output. */
  wrote(text: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

interface CommandLine {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

export interface SignInWorld {
  commandLine(args: readonly string[]): Promise<CommandLine>;
  readonly home: string;
  readonly provider: TestProvider;
  readonly hub: FakeHub;
  start(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Running>;
  run(...args: readonly string[]): Promise<Ended>;
  /** Signs in by the browser, which a loop of requests with cookies is. */
  login(...args: readonly string[]): Promise<Ended>;
  /** Goes to the address of a device's code, and confirms it. */
  confirmCode(address: string): Promise<void>;
}

/** A life of 31 seconds is renewed at every use after a second: tokens are renewed 30 seconds early. */
export async function startSignInWorld(
  options: { readonly ttl?: number; readonly provider?: Partial<TestProviderOptions> } = {},
): Promise<SignInWorld> {
  const home = mkdtempSync(join(tmpdir(), "pagewire-sign-in-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  openState(home).close();
  writeFileSync(join(home, "ca.pem"), certificate.cert);
  const hub = await startFakeHub();
  const { ttl = 300 } = options;
  const scope = "tools tools:destructive admin";
  const provider = await startProvider({ resources: { [`${hub.url}/mcp`]: { scope, ttl } }, ...options.provider });
  hub.metadata = {
    resource: `${hub.url}/mcp`,
    authorization_servers: [provider.issuer],
    scopes_supported: ["tools"],
  };

  async function commandLine(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<CommandLine> {
    const { program } = await (built ??= buildCommand());
    const { PATH = "" } = process.env;
    const own = { PAGEWIRE_HOME: home, NODE_EXTRA_CA_CERTS: join(home, "ca.pem"), PAGEWIRE_KEYRING: "off" };
    return { command: process.execPath, args: [program, ...args], env: { PATH, HOME: home, ...own, ...environment } };
  }

  async function start(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Running> {
    const line = await commandLine(args, environment);
    return watch(spawn(line.command, line.args, { env: line.env }));
  }

  async function run(...args: readonly string[]): Promise<Ended> {
    return (await start(args)).ended;
  }

  async function login(...args: readonly string[]): Promise<Ended> {
    const running = await start(["login", hub.url, "--no-browser", ...args]);
    const [, address = ""] = await running.wrote(/Sign in at: (\S+)/);
    const back = await provider.visit(address);
    await fetch(back);
    return running.ended;
  }

  return { home, provider, hub, commandLine, start, run, login, confirmCode: (address) => confirmCode(address) };
}

function watch(child: ReturnType<typeof spawn>): Running {
  let [out, err] = ["", ""];
  const looks = new Set<() => void>();
  const look = () => {
    for (const each of looks) each();
  };
  child.stdin?.end();
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    look();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text;
    look();
  });
  const ended = once(child, "close").then(([code]): Ended => ({ code: code as number | null, out, err }));
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    ended,
    kill: (signal) => void child.kill(signal),
    wrote: (text) =>
      new Promise((resolve, reject) => {
        const find = () => {
          const match = text.exec(out + err);
          if (match === null) return;
          looks.delete(find);
          resolve(match);
        };
        looks.add(find);
        find();
        void ended.then(() => reject(new Error(`It ended without ${text.source}:\n${out}${err}`)));
      }),
  };
}

async function startFakeHub(): Promise<FakeHub> {
  const hub: FakeHub & { url: string } = { url: "", requests: [], refused: new Set(), metadata: {} };
  const server = createServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    hub.requests.push({ line: `${request.method} ${request.url}`, bearer });
    if (hub.answer?.(request, response)) return;
    void answer(hub, request.url ?? "", bearer).then(([status, body]) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  hub.url = `https://localhost:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return hub;
}

async function answer(hub: FakeHub, path: string, bearer: string | undefined): Promise<[number, object]> {
  if (path === "/.well-known/oauth-protected-resource/mcp") return [200, hub.metadata];
  if (path === commandLineClientPath) return [200, { client_id: hub.url + path, ...commandLineClient }];
  const token = await verify(hub, bearer).catch(() => undefined);
  if (token === undefined || hub.refused.has(bearer ?? ""))
    return [401, { error: { code: "token-expired", message: "The token is not good any more." } }];
  if (path === "/api/team/me")
    return [
      200,
      { principal: `acme/${token.sub}`, organisation: "acme", name: token["name"], groups: token["groups"] },
    ];
  if (path === "/api/status")
    return [200, { mode: "team", version: "0.0.0-test", startedAt: new Date().toISOString() }];
  return [404, { error: { code: "route-not-found", message: "There is nothing here." } }];
}

async function verify({ url, metadata }: FakeHub, bearer: string | undefined) {
  if (bearer === "a-key-of-a-service-account") return { sub: "service", name: undefined, groups: [] };
  const [issuer = ""] = metadata["authorization_servers"] as readonly string[];
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  return (await jwtVerify(bearer ?? "", keys, { issuer, audience: `${url}/mcp` })).payload;
}

/** Fills in the forms of the provider until there are none. */
async function confirmCode(address: string): Promise<void> {
  const cookies = new Map<string, string>();
  let [next, body]: [URL, URLSearchParams | undefined] = [new URL(address), undefined];
  for (let hops = 0; hops < 20; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const method = body === undefined ? "GET" : "POST";
    const response: Response = await fetch(next, {
      method,
      redirect: "manual",
      headers: { Cookie: cookie },
      body: body ?? null,
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const to = response.headers.get("location");
    const page = await response.text();
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
    if (to === null && action === undefined) return;
    body = to === null ? fieldsOf(page) : undefined;
    next = new URL(to ?? action ?? "", next);
  }
  throw new Error(`${address} has forms without end.`);
}

function fieldsOf(page: string): URLSearchParams {
  const inputs = [...page.matchAll(/<input[^>]*>/g)].map(([input]) => input);
  return new URLSearchParams(
    inputs.flatMap((input) => {
      const [, name] = /name="([^"]*)"/.exec(input) ?? [];
      const [, value = ""] = /value="([^"]*)"/.exec(input) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}
