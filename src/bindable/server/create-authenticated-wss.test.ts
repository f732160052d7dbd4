import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createFakeClock } from "../../testing/index.ts";
import {
  createRemoteCoreProxy,
  RemoteShellProxy,
  WebSocketClientTransport,
  WebSocketServerTransport,
} from "../remote.ts";
import { ChatCore } from "../remote/chat-core.test-helper.ts";
import { createLogger } from "../remote/fake-sockets.test-helper.ts";
import { createAuthenticatedWSS } from "./create-authenticated-wss.ts";
import type { AuthenticatedWSSOptions } from "./create-authenticated-wss.ts";
import { audience, createIssuer } from "./issuer.test-helper.ts";

async function serve(options: Partial<AuthenticatedWSSOptions> = {}) {
  const issuer = await createIssuer();
  const { lines, ...logger } = createLogger();
  const core = new ChatCore();
  const wss = await createAuthenticatedWSS({
    port: 0,
    host: "127.0.0.1",
    auth0Domain: "example.auth0.com",
    auth0Audience: audience,
    jwks: issuer.jwks,
    allowedOrigins: ["https://app.example.com"],
    createCores: () => core,
    proxyOptions: { logger },
    ...options,
  });
  onTestFinished(() => wss.close());
  const { port } = wss.address() as { port: number };
  return {
    ...issuer,
    core,
    lines,
    connect(token: string | undefined, origin = "https://app.example.com") {
      const socket = new WebSocket(
        `ws://127.0.0.1:${port}`,
        token === undefined ? [] : [`auth0-gate.bearer.${token}`],
        { origin },
      );
      const closed = new Promise<string>((resolve) =>
        socket.on("close", (code, reason) => resolve(`${code} ${reason.toString()}`)),
      );
      socket.on("error", () => undefined);
      const proxy = createRemoteCoreProxy<{ content: string }>(
        ChatCore.wcBindable,
        new WebSocketClientTransport(socket),
        {
          logger: createLogger(),
        },
      );
      return { socket, proxy, closed };
    },
  };
}

test("a client with a valid token from an allowed origin gets the core that was created for it", async () => {
  const users: string[] = [];
  const core = new ChatCore();
  const { token, connect } = await serve({
    async createCores(user) {
      users.push(user.sub);
      await Promise.resolve();
      return core;
    },
  });
  const { proxy, socket, closed } = connect(await token());
  await proxy.setWithAck("provider", "openai");
  expect(await proxy.invoke("send", "Weather?")).toBe("It is 12 degrees in Tokyo.");
  expect([users, core.provider, socket.protocol.startsWith("auth0-gate.bearer.")]).toEqual([
    ["auth0|ada"],
    "openai",
    true,
  ]);
  proxy.dispose();
  await closed;
});

test("without a valid token, or from another origin, a connection is closed with 1008 and nothing of it is read", async () => {
  let made = 0;
  const { token, connect } = await serve({ createCores: () => (made++, new ChatCore()) });
  const valid = await token();
  const attempts: [string | undefined, string | undefined, string][] = [
    [undefined, undefined, "1008 Unauthorized"],
    ["forged.to.ken", undefined, "1008 Unauthorized"],
    [valid, "https://evil.example.com", "1008 Forbidden origin"],
  ];
  for (const [each, origin, reason] of attempts) {
    const { closed, proxy } = connect(each, origin);
    const call = proxy.invoke("send", "x").catch((error: unknown) => error);
    expect([await closed, await call]).toMatchObject([reason, { code: "WC_BINDABLE_TERMINAL_FAILURE" }]);
  }
  expect(made).toBe(0);
});

test("the factory may serve the core itself, as the seed's sample does", async () => {
  let aborted = () => {};
  const gone = new Promise<void>((resolve) => (aborted = resolve));
  const { token, connect } = await serve({
    createCores: (_user, ws) => {
      const core = new ChatCore();
      const transport = new WebSocketServerTransport(ws);
      const shell = new RemoteShellProxy(core, transport);
      ws.on("close", () => {
        core.abort();
        shell.dispose();
        aborted();
      });
      return { core };
    },
  });
  const { proxy } = connect(await token());
  expect(await proxy.invoke("send", "x")).toBe("It is 12 degrees in Tokyo.");
  await proxy.refreshAuth(await token());
  proxy.dispose();
  await gone;
});

test("a connection ends with 4401 when its token expires, unless the same user sends a newer one", async () => {
  const clock = createFakeClock();
  const start = Date.now();
  const refreshed: (string | undefined)[] = [];
  const { token, connect, core } = await serve({
    clock,
    now: () => start + clock.now(),
    onTokenRefresh(of, user) {
      if (user.name === "nobody") throw new Error("not you");
      refreshed.push(of === core ? user.name : undefined);
    },
  });
  const seconds = Math.floor(start / 1000);
  const { proxy, closed, socket } = connect(await token({}, seconds + 60));
  await proxy.setWithAck("provider", "openai");
  await proxy.refreshAuth(await token({ name: "Ada" }, seconds + 120));
  await clock.advance(100_000);
  for (const wrong of ["forged.to.ken", await token({ name: "nobody" }, seconds + 900)]) {
    await expect(proxy.refreshAuth(wrong)).rejects.toThrow("not accepted");
  }
  expect([socket.readyState, refreshed, core.provider]).toEqual([WebSocket.OPEN, ["Ada"], "openai"]);
  await clock.advance(21_000);
  expect(await closed).toBe("4401 Token expired");
});

test("a refused token does not undo one that was accepted meanwhile", async () => {
  const clock = createFakeClock();
  const start = Date.now();
  const refusals: ((error: Error) => void)[] = [];
  const { token, connect } = await serve({
    clock,
    now: () => start + clock.now(),
    onTokenRefresh: (_, user) =>
      user.name === "slow" ? new Promise((_resolve, reject) => refusals.push(reject)) : undefined,
  });
  const seconds = Math.floor(start / 1000);
  const { proxy, closed } = connect(await token({}, seconds + 60));
  const slow = proxy.refreshAuth(await token({ name: "slow" }, seconds + 600)).catch(() => "refused");
  await vi.waitFor(() => expect(refusals).toHaveLength(1));
  await proxy.refreshAuth(await token({}, seconds + 120));
  refusals[0]?.(new Error("not this one"));
  expect(await slow).toBe("refused");
  await clock.advance(119_000);
  await proxy.setWithAck("provider", "openai");
  await clock.advance(2000);
  expect(await closed).toBe("4401 Token expired");
});

test("no core is created for a token that expires while it is verified", async () => {
  let made = 0;
  const { token, connect } = await serve({ now: () => Date.now() + 120_000, createCores: () => void made++ });
  const { closed } = connect(await token({}, Math.floor(Date.now() / 1000) + 60));
  expect([await closed, made]).toEqual(["4401 Token expired", 0]);
});

test("a newer token of another user ends the connection with 4403", async () => {
  const { token, connect } = await serve();
  const { proxy, closed } = connect(await token());
  const refreshed = proxy.refreshAuth(await token({ sub: "auth0|eve" })).catch(() => "refused");
  expect([await closed, await refreshed]).toEqual(["4403 Token subject mismatch", "refused"]);
});

test("a core that cannot be created closes its connection with 1011, and the reason is only logged", async () => {
  const { token, connect, lines } = await serve({
    createCores() {
      throw new Error("secret detail");
    },
  });
  const { closed } = connect(await token());
  expect([await closed, lines.join()]).toEqual([
    "1011 The core could not be made",
    expect.stringContaining("secret detail"),
  ]);
});

test("a port that is in use rejects the call", async () => {
  const options = { host: "127.0.0.1", auth0Domain: "x", auth0Audience: "y", createCores() {} };
  const first = await createAuthenticatedWSS({ ...options, port: 0 });
  onTestFinished(() => first.close());
  const { port } = first.address() as { port: number };
  await expect(createAuthenticatedWSS({ ...options, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("without a port or a server it handles the upgrades that it is given", async () => {
  const wss = await createAuthenticatedWSS({ auth0Domain: "x", auth0Audience: "y", createCores() {} });
  expect(wss.options.noServer).toBe(true);
  wss.close();
});

test("without an API or a tenant that tokens must be for no server is made", async () => {
  for (const wrong of [
    { auth0Audience: undefined },
    { auth0Audience: "" },
    { auth0Domain: undefined },
    { issuer: "" },
  ]) {
    const options = { auth0Domain: "x", auth0Audience: "y", createCores() {}, ...wrong } as AuthenticatedWSSOptions;
    await expect(createAuthenticatedWSS(options)).rejects.toThrow(TypeError);
  }
});
