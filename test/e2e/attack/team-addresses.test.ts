// Addresses that an organisation's admin or its identity provider names, so that the hub asks what only it can reach.
import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openBrowser } from "../../../src/hub/team/test-support/browser.test-helper.ts";
import { newKey } from "../../../src/hub/team/test-support/start-provider.test-helper.ts";
import { askFrom, besiegeTeam, signWith, signerOf, tokensOf } from "./besieged-team.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

/** A server of this machine. */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that the hub must never ask. */
async function listenInside() {
  const heard: string[] = [];
  const url = await listen(({ url: path = "" }, response) => {
    heard.push(path);
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
  return { url, heard };
}

test("TM84: no admin makes the hub ask another address than a vendor's or one that its operator allows", async () => {
  const inside = await listenInside();
  const allowed = await listen(({ url = "" }, response) =>
    response.writeHead(307, { Location: inside.url + url }).end(),
  );
  const team = await besiegeTeam({}, { team: { modelAddresses: [`${allowed}/v1`] } });
  const ask = askFrom(team);
  const { amy } = await tokensOf(team);
  const { port } = new URL(inside.url);
  const set = (provider: string, baseUrl: unknown) =>
    ask("PUT /api/team/model", amy, { body: { provider, model: "m", apiKey: "k".repeat(20), baseUrl } });
  const hosts = [
    ...["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "0", "[::1]", "[::]"],
    ...[
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "[64:ff9b::7f00:1]",
      "127.0.0.1.nip.io",
      "localtest.me",
      "１２７.0.0.1",
      "127。0。0。1",
    ],
  ];
  const clouds = [
    "169.254.169.254/latest/meta-data",
    "[fd00:ec2::254]/latest",
    "metadata.google.internal",
    "10.0.0.1",
    "[fe80::1]",
  ];
  const alike = [
    ...[
      "https://api.openai.com.evil.example/v1",
      "https://api.openai.com@evil.example/v1",
      "https://evil.example/api.openai.com",
    ],
    ...["https://evil.openai.azure.com.evil.example", "https://x.openai.azure.com:8443", "http://x.openai.azure.com"],
    ...["https://x.openai.azure.com.", "https://x.openai.azure.com@127.0.0.1", "https://x.y.openai.azure.com"],
    ...["https://bedrock-runtime.a.b.amazonaws.com", "https://bedrock-runtime.us.amazonaws.com.evil.example"],
    ...["https://evil/aiplatform.googleapis.com", "https://evil.example#aiplatform.googleapis.com"],
  ];
  const besides = [
    ...[
      `${allowed}/v1/../admin`,
      `${allowed}/v1/%2e%2e/admin`,
      `${allowed}/v1/..%2fadmin`,
      `${allowed}/v1/%2e%2e%2fadmin`,
    ],
    ...[
      `${allowed}/v1/..%5cadmin`,
      `${allowed}/v1\\..\\admin`,
      `${allowed}/v1x`,
      `${allowed}/`,
      `${allowed}/v2`,
      `${allowed}/v1?x=/`,
    ],
    ...[
      `${allowed}/v1#x`,
      `${allowed.replace("http", "https")}/v1`,
      allowed.replace("127.0.0.1", "u:p@127.0.0.1") + "/v1",
    ],
    ...[`${allowed.replace("127.0.0.1", "localhost")}/v1`, `${inside.url}/v1`],
  ];
  const forms = [
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "data:,x",
    "javascript:0",
    "//127.0.0.1",
    "127.0.0.1",
    "",
    " ",
    null,
    1,
    [`${allowed}/v1`],
    {},
  ];
  const all = [
    ...hosts.flatMap((host) => [
      `http://${host}:${port}/v1`,
      `https://${host}:${port}/v1`,
      `http://x:y@${host}:${port}`,
    ]),
    ...clouds.flatMap((host) => [`http://${host}`, `https://${host}`]),
    ...[...alike, ...besides, ...forms],
  ];
  const tally = startTally(
    "reaching out",
    "addresses inside, alike or beside the allowed ones as an organisation's model",
    "refused; nobody asked",
  );
  const must = "refused; nobody asked";
  for (const [at, address] of all.entries()) {
    const { status } = await set(
      ["openai", "ollama", "azure", "bedrock", "vertex", "anthropic"][at % 6] ?? "",
      address,
    );
    tally.add(JSON.stringify(address), status === 400 || status === 403 ? must : status);
  }
  for (const provider of ["ollama", "lmstudio", "azure", "azure-openai", "__proto__", "http://127.0.0.1"])
    tally.add(`${provider} without an address`, (await set(provider, undefined)).status >= 400 ? must : "set");
  expect((await set("openai", `${allowed}/v1`)).status).toBe(200);
  const { status, text } = await ask("POST /api/model/test", amy, { body: {} });
  tally.add("an allowed address that redirects", status < 500 || text.includes("model") ? must : text);
  tally.add("requests inside", inside.heard.length === 0 ? must : inside.heard);
  tally.close();
});

test("OA35: no identity provider sends the hub elsewhere by redirects, for its metadata, keys or tokens", async () => {
  const inside = await listenInside();
  const away: RequestListener = ({ url = "" }, response) =>
    response.writeHead(302, { Location: inside.url + url }).end();
  const keysAway: RequestListener = (request, response) => {
    const { url = "" } = request;
    if (!url.includes(".well-known")) return away(request, response);
    const issuer = `http://${request.headers.host}`;
    const about = {
      issuer,
      jwks_uri: `${issuer}/keys`,
      token_endpoint: `${issuer}/token`,
      authorization_endpoint: `${issuer}/auth`,
    };
    response
      .writeHead(200, { "Content-Type": "application/json" })
      .end(JSON.stringify({ ...about, response_types_supported: ["code"] }));
  };
  const redirecting = { metadata: await listen(away), keys: await listen(keysAway) };
  const providers = Object.entries(redirecting).map(([name, issuer]) => ({ name, issuer, clientId: "hub" }));
  const team = await besiegeTeam({}, { team: { providers } });
  const ask = askFrom(team);
  const { claims } = signerOf(team);
  const key = await newKey("ES256");
  const tally = startTally("reaching out", "redirects of an identity provider to an address inside", "nobody asked");
  for (const [name, issuer] of Object.entries(redirecting)) {
    for (const path of ["GET /api/app", "POST /mcp"]) {
      const token = await signWith(key, claims({ iss: issuer }), { typ: "at+jwt" });
      const { status } = await ask(path, token, path.startsWith("POST") ? { body: {} } : {});
      tally.add(`${name}: ${path}`, [401, 503].includes(status) ? "nobody asked" : status);
    }
    const browser = openBrowser();
    const begun = await browser.send(`${team.hub.url}/sign-in?provider=${name}`);
    const state = new URL(begun.headers.get("location") ?? team.hub.url).searchParams.get("state") ?? "x";
    for (const from of [`/sign-in/callback/${name}`, "/sign-in/callback"]) {
      const back = await browser.send(`${team.hub.url}${from}?code=x&state=${state}`);
      tally.add(`${name}: ${from}`, back.status >= 400 ? "nobody asked" : back.status);
    }
    const body = `logout_token=${await signWith(key, claims({ iss: issuer, aud: "hub" }), { typ: "logout+jwt" })}`;
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const logout = await ask("POST /sign-in/back-channel", undefined, { body, headers });
    tally.add(`${name}: back channel`, logout.status >= 400 ? "nobody asked" : logout.status);
  }
  tally.add("inside", inside.heard.length === 0 ? "nobody asked" : inside.heard);
  tally.close();
});
