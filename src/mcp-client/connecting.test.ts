import { describe, expect, test } from "vitest";
import { connectMcpToolbox } from "./index.ts";
import { eras, startServer } from "./mcp-server.test-helper.ts";
import { connect, environment, toolNames } from "./mcp-toolbox.test-helper.ts";
import { registerEcho } from "./server-tools.test-helper.ts";

const naming = (url: string, what: string) =>
  expect.stringMatching(`${url.replaceAll(".", "\\.")} .*${what}`) as string;

test.each(["nowhere", "ftp://example.com/mcp", "http://me:secret@example.com/mcp", ""])(
  "%j is no address of a server",
  async (address) => {
    const refusal: unknown = await connectMcpToolbox(address).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: "options-invalid",
      message: expect.not.stringContaining("secret") as string,
    });
  },
);

test("a limit that there is not is refused by name", async () => {
  const limits = { tools: 5 } as object;
  await expect(connectMcpToolbox("http://127.0.0.1/mcp", { limits })).rejects.toThrow('"tools"');
});

test("the query of an address is never shown", async () => {
  const server = await startServer({ register: registerEcho });
  const toolbox = await connect(`${server.url}?key=secret`);
  const outcomes = [await toolbox.callTool("sell", {}, environment())];
  await server.stop();
  outcomes.push(await toolbox.callTool("echo", {}, environment()));
  const refusal: unknown = await connect(`${server.url}?key=secret`).catch(({ message }: Error) => message);
  const told = JSON.stringify([outcomes, refusal, toolbox.problems]);
  expect(told).toContain(server.url);
  expect(told).not.toContain("secret");
});

test("a server that is not there is named, with why", async () => {
  const server = await startServer();
  await server.stop();
  await expect(connect(server.url)).rejects.toMatchObject({
    code: "server-unreachable",
    message: naming(server.url, "ECONNREFUSED"),
  });
});

test.each([
  [401, "credential"],
  [403, "does not let this client in"],
  [404, "it answered 404: sorry."],
  [500, "it answered 500: sorry."],
])("a server that answers %i is named, with what to do", async (status, what) => {
  const server = await startServer({
    instead(_, response) {
      response.writeHead(status).end("sorry");
      return true;
    },
  });
  await expect(connect(server.url)).rejects.toMatchObject({
    code: "server-unreachable",
    message: naming(server.url, what),
  });
});

test.each([
  ["/", "it answered 404. Its address may lack a path, such as /mcp."],
  ["/api", "it answered 404. The server may be there at another path, such as /mcp."],
  ["/mcp", "it answered 404. The server may be there at another path."],
])("an address with the path %s where nothing is says what to do", async (path, what) => {
  const server = await startServer({
    instead(_, response) {
      response.writeHead(404).end("<!doctype html><title>Nothing here</title>");
      return true;
    },
  });
  const url = new URL(path, server.url).href;
  await expect(connect(url)).rejects.toMatchObject({ message: naming(url, what) });
});

test.each(["<!doctype html>", "{}", '{"jsonrpc":"2.0","id":1,"result":{"tools":5}}', "[", ""])(
  "what is no MCP server is named: %j",
  async (body) => {
    for (const type of ["text/html", "application/json", "text/event-stream"]) {
      const server = await startServer({
        instead(_, response) {
          response.writeHead(200, { "content-type": type }).end(body);
          return true;
        },
      });
      await expect(connect(server.url, { limits: { connectTime: 200 } })).rejects.toMatchObject({
        code: "server-unreachable",
        message: naming(server.url, ""),
      });
    }
  },
);

test("connecting ends with the signal's reason when that aborts", async () => {
  const abort = new AbortController();
  const reason = new Error("not any more");
  const server = await startServer({
    instead() {
      abort.abort(reason);
      return true;
    },
  });
  await expect(connect(server.url, { signal: abort.signal })).rejects.toBe(reason);
  await expect(connect(server.url, { signal: abort.signal })).rejects.toBe(reason);
  expect(server.heard).toHaveLength(1);
});

describe.each(eras)("a server of the %s era", (era) => {
  test("headers are sent with each request", async () => {
    const server = await startServer({ era, register: registerEcho });
    const toolbox = await connect(server.url, { headers: { Authorization: "Bearer abc", "X-Tenant": "7" } });
    await toolbox.callTool("echo", {}, environment());
    await toolbox.close();
    const sent = server.heard.map(({ headers }) => [headers["authorization"], headers["x-tenant"]]);
    expect(new Set(sent.map(String))).toEqual(new Set(["Bearer abc,7"]));
  });

  test("an authProvider brings the token of each request", async () => {
    let token = 0;
    const server = await startServer({ era, register: registerEcho });
    const toolbox = await connect(server.url, { authProvider: { token: async () => `token-${++token}` } });
    await toolbox.callTool("echo", {}, environment());
    const sent = server.heard.map(({ headers }) => headers["authorization"]);
    expect(sent).toEqual(sent.map((_, at) => `Bearer token-${at + 1}`));
  });
});

/** A server that requires OAuth, and the client's storage for it. */
async function startSignIn({ isTokenGiven = true } = {}) {
  const base = () => new URL(server.url).origin;
  const json = (body: object) => ({ status: 200, body: JSON.stringify(body) });
  const routes: Record<string, () => { status: number; body: string }> = {
    "/.well-known/oauth-protected-resource/mcp": () => json({ resource: server.url, authorization_servers: [base()] }),
    "/.well-known/oauth-authorization-server": () =>
      json({
        issuer: base(),
        authorization_endpoint: `${base()}/authorize`,
        token_endpoint: `${base()}/token`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      }),
    "/token": () => json({ access_token: "secret", token_type: "Bearer" }),
  };
  const server = await startServer({
    register: registerEcho,
    instead({ url, headers }, response) {
      const route = routes[url];
      if (url === "/token" && !isTokenGiven) return true;
      if (!route && headers["authorization"] === "Bearer secret") return false;
      const { status, body } = route?.() ?? { status: url === "/mcp" ? 401 : 404, body: "" };
      response.writeHead(status, { "content-type": "application/json" }).end(body);
      return true;
    },
  });
  const kept: { tokens?: object; verifier?: string; redirect?: URL; discovered?: object } = {};
  const authProvider = {
    redirectUrl: "http://127.0.0.1/back",
    clientMetadata: { redirect_uris: ["http://127.0.0.1/back"] },
    clientInformation: () => ({ client_id: "page" }),
    tokens: () => kept.tokens as never,
    saveTokens: (tokens: object) => void (kept.tokens = tokens),
    redirectToAuthorization: (url: URL) => void (kept.redirect = url),
    saveCodeVerifier: (verifier: string) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? "",
    saveDiscoveryState: (state: object) => void (kept.discovered = state),
    discoveryState: () => kept.discovered as never,
  };
  return { server, authProvider, kept };
}

const authorizationResponse = new URLSearchParams({ code: "code-1", state: "s" });

test.each([true, false])(
  "a sign-in by OAuth begins with the provider's redirect, and ends where its answer is given; follow: %s",
  async (follow) => {
    const { server, authProvider, kept } = await startSignIn();
    await expect(connect(server.url, { authProvider, follow })).rejects.toMatchObject({
      message: naming(server.url, "sign"),
    });
    expect(kept.redirect?.pathname).toBe("/authorize");
    const toolbox = await connect(server.url, { authProvider, authorizationResponse, follow });
    expect(toolNames(toolbox)).toEqual(["echo"]);
  },
);

test("connecting ends although who gives the credentials does not answer", async () => {
  const { server, authProvider } = await startSignIn({ isTokenGiven: false });
  const abort = new AbortController();
  const reason = new Error("not any more");
  const signal = abort.signal;
  await expect(connect(server.url, { authProvider })).rejects.toThrow("sign");
  const connecting = connect(server.url, { authProvider, authorizationResponse, signal });
  await expect.poll(() => server.heard.map(({ url }) => url)).toContain("/token");
  abort.abort(reason);
  await expect(connecting).rejects.toBe(reason);
  const limits = { connectTime: 100 };
  await expect(connect(server.url, { authProvider, authorizationResponse, limits })).rejects.toMatchObject({
    code: "server-unreachable",
  });
});

test("a fetch of one's own makes all requests", async () => {
  const server = await startServer({ register: registerEcho });
  let requests = 0;
  const own: typeof fetch = (input, init) => {
    requests++;
    return fetch(input, init);
  };
  await connect(server.url, { fetch: own });
  expect(requests).toBe(server.heard.length);
});

test("credentials do not follow a redirect to another origin", async () => {
  const other = await startServer({ register: registerEcho });
  const server = await startServer({
    instead(_, response) {
      response.writeHead(307, { location: other.url }).end();
      return true;
    },
  });
  await expect(connect(server.url, { headers: { Authorization: "Bearer abc" } })).rejects.toMatchObject({
    code: "server-unreachable",
  });
  expect(other.heard).toEqual([]);
});
