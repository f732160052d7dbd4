// A real identity provider, a real hub over TLS, and the real command in processes of its own, which trust that hub.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, globalAgent } from "node:https";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { certificate } from "../../../test/support/certificates.ts";
import {
  openBrowser,
  optionsFor,
  startHub,
  startIdentityProvider,
  teamOf,
} from "../../../test/support/identity-provider.ts";
import type { TestHub, TestProvider, TestProviderOptions } from "../../../test/support/identity-provider.ts";
import type { ProviderOptions, TeamOptions } from "../../hub/index.ts";
import { openState } from "../../state/index.ts";
import { buildCommand } from "../mcp/test-support/command.test-helper.ts";
import { createTestIo } from "./test-io.test-helper.ts";

let built: ReturnType<typeof buildCommand> | undefined;

/** Removes the command that the tests of a file have built. */
export async function removeCommand(): Promise<void> {
  (await built)?.remove();
  built = undefined;
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

/** A context's file, whose tokens are in it: there is no keyring in these tests. */
export interface KeptContext {
  readonly hub: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly tokens: { readonly access: string; readonly refresh: string; readonly expiresAt: number };
}

export interface SignInWorld {
  commandLine(args: readonly string[]): Promise<CommandLine>;
  readonly home: string;
  /** With ada of the group staff, and grace, who governs acme. */
  readonly provider: TestProvider;
  readonly hub: TestHub;
  readonly team: TeamOptions;
  start(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Running>;
  run(...args: readonly string[]): Promise<Ended>;
  /** The same without a process, which is quicker. */
  runHere(...args: readonly string[]): Promise<Ended>;
  /** Signs in to the hub by the browser, which a loop of requests with cookies is. */
  login(...args: readonly string[]): Promise<Ended>;
  /** Goes to the address of a device's code, and confirms it. */
  confirmCode(address: string): Promise<void>;
  kept(name?: string): KeptContext;
  /** Puts another access token into a context, which the hub refuses. */
  spoil(name?: string): void;
  /** Resolves once the hub does not take this token any more. */
  untilRefused(token: string): Promise<void>;
}

export interface SignInWorldOptions {
  /** How long access tokens live, in seconds. They are renewed 30 seconds early. */
  readonly ttl?: number;
  readonly provider?: TestProviderOptions;
  /** The hub's settings of that provider. */
  readonly settings?: Partial<ProviderOptions>;
  /** Another provider of the hub. */
  readonly other?: ProviderOptions;
}

const scope = "tools tools:destructive admin";

/** The scopes that providers of these tests know. */
export const providerScopes = ["openid", "offline_access", ...scope.split(" ")];

export async function startSignInWorld(options: SignInWorldOptions = {}): Promise<SignInWorld> {
  const { ttl = 300, settings, other } = options;
  const home = mkdtempSync(join(tmpdir(), "pagewire-sign-in-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  openState(home).close();
  writeFileSync(join(home, "ca.pem"), certificate.cert);
  const resources: Record<string, { scope: string; ttl: number }> = {};
  const provider = await startIdentityProvider({
    ...options.provider,
    resources,
    configuration: { scopes: providerScopes, ...options.provider?.configuration },
  });
  provider.people.set("grace", { groups: ["pagewire-admins"], name: "Grace Hopper", email: "grace@acme.example" });
  const acme = optionsFor(provider, { adminGroups: ["pagewire-admins"], ...settings });
  const team = teamOf([acme, ...(other ? [other] : [])]);
  const hub = await startHub({ tls: () => certificate, team });
  resources[`${hub.url}/mcp`] = { scope, ttl };

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

  async function login(...args: readonly string[]): Promise<Ended> {
    const running = await start(["login", hub.url, "--no-browser", ...args]);
    const [, address = ""] = await running.wrote(/Sign in at: (\S+)/);
    await fetch(await provider.visit(address));
    return running.ended;
  }

  const fileOf = (name: string) => join(home, "contexts", `${name}.json`);
  const kept = (name = "acme") => JSON.parse(readFileSync(fileOf(name), "utf8")) as KeptContext;

  return {
    ...{ home, provider, hub, team, commandLine, start, login, kept },
    run: async (...args) => (await start(args)).ended,
    async runHere(...args) {
      globalAgent.options.ca = certificate.cert;
      const cli = createTestIo({ home, fetch });
      const code = await cli.run(...args);
      delete globalAgent.options.ca;
      return { code, out: cli.out(), err: cli.err() };
    },
    confirmCode: (address) => confirmCode(address),
    spoil(name = "acme") {
      const { tokens, ...rest } = kept(name);
      const access = `${tokens.access.slice(0, -8)}spoiled_`;
      writeFileSync(fileOf(name), JSON.stringify({ ...rest, tokens: { ...tokens, access } }));
    },
    async untilRefused(token) {
      const headers = { Authorization: `Bearer ${token}` };
      const status = async () => (await openBrowser().send(`${hub.url}/api/team/me`, { headers })).status;
      await expect.poll(status, { timeout: 30_000, interval: 100 }).toBe(401);
    },
  };
}

/** A server at a hub's address that behaves as no hub does. */
export async function playHub(answer: RequestListener, port = 0): Promise<string> {
  const server = createServer({ cert: certificate.cert, key: certificate.key }, answer);
  await once(server.listen(port, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
