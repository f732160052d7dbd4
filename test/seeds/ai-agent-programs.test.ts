// Runs the ai-agent seed's samples without a page, in Node.
import { once } from "node:events";
import { SignJWT, exportJWK, generateKeyPair } from "jose";
import { AiCore } from "pagewire/ai";
import { WebSocketClientTransport, createRemoteCoreProxy } from "pagewire/bindable/remote";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { Page } from "../e2e/support/page-server.ts";
import { sampleOf } from "./ai-agent-samples.ts";
import { leadFetch, startAuthenticatedServer } from "./ai-agent-servers.ts";
import { startModelServer } from "../e2e/support/model-server.ts";
import type { ModelServer } from "../e2e/support/model-server.ts";
import { runModule } from "./sample-modules.ts";

const pages: Record<string, Page> = {};
let models: ModelServer;

beforeAll(async () => {
  models = await startModelServer(pages);
  leadFetch(models);
  vi.stubEnv("OPENAI_API_KEY", "server-key");
});

afterAll(async () => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  await models.close();
});

const last = () => models.heard.at(-1) ?? expect.fail("No model was asked.");
const core = 'import { AiCore } from "@csbc-dev/ai-agent"; import type { AiRequestOptions } from "@csbc-dev/ai-agent";';
const tool = (name: string) => ({ name, description: name, parameters: { type: "object" } });

test("Headless Usage", async () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const said: unknown[][] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...words) => void said.push(words));
  await runModule(sampleOf("Headless Usage")).finally(() => {
    write.mockRestore();
    log.mockRestore();
  });
  const reply = "You said: Explain quantum computing in one paragraph.";
  expect(written.at(-1)).toBe(reply);
  expect(said).toMatchObject([
    ["\n---"],
    ["Tokens:", null],
    ["History:", [{ role: "user" }, { role: "assistant", content: reply }]],
  ]);
  expect(last()).toMatchObject({ path: "/api/ai/v1/chat/completions", body: { stream: true } });
});

test("Custom provider", async () => {
  const base = `${models.origin}/mine`;
  const { streamed, whole } = await runModule(
    `${sampleOf("Custom provider")}
    export const streamed = await core.send("Hello there", { model: "m", baseUrl: "${base}" });
    export const whole = await core.send("Again", { model: "m", baseUrl: "${base}/whole", stream: false });`,
  );
  expect([streamed, whole]).toEqual(["You said: Hello there", "You said: Again"]);
  expect(models.heard.slice(-2)).toMatchObject([
    { path: "/mine/v1/generate", body: { prompt: "Hello there", model: "m" } },
    { path: "/mine/whole/v1/generate", body: { prompt: "Again", model: "m" } },
  ]);
});

test.each([
  ["wc-bindable: AiCore", "AiCore"],
  ["wc-bindable: ai-agent", "AiAgent"],
])("%s", async (heading, name) => {
  const { seed, ours } = await runModule(
    `import { AiAgent, AiCore } from "@csbc-dev/ai-agent";
    class Seed { ${sampleOf(heading)} }
    export const seed = Seed.wcBindable;
    export const ours = ${name}.wcBindable;`,
  );
  expect(ours).toMatchObject(seed as object);
});

test("Server-side API key", async () => {
  const { said } = await runModule(
    `${core}
    ${sampleOf("Server-side API key")}
    const core = new ServerAiCore();
    core.provider = "openai";
    export const said = await core.send("Hello", { model: "gpt-4o", apiKey: "", baseUrl: "http://127.0.0.1:9/stranger" });`,
  );
  expect(said).toBe("You said: Hello");
  expect(last()).toMatchObject({
    path: "/openai/v1/chat/completions",
    headers: { authorization: "Bearer server-key" },
  });
});

test("Server-side tool handlers", async () => {
  const { weather, found, hidden } = await runModule(
    `${core}
    import { clearToolRegistry } from "@csbc-dev/ai-agent";
    const fetchWeather = async (location) => ({ temp: 22, location });
    const queryVectorStore = async () => ["a book"];
    ${sampleOf("Server-side tool handlers")}
    const core = new AiCore();
    core.provider = "openai";
    const ask = (name) => core.send("Use it", { model: "gpt-4o", tools: [{ ...${JSON.stringify(tool(""))}, name }] });
    export const weather = await ask("get_weather");
    export const found = await ask("search_kb");
    export const hidden = await ask("another");
    clearToolRegistry();`,
  );
  expect([weather, found]).toEqual(['It says {"temp":22,"location":"Tokyo"}.', 'It says ["a book"].']);
  expect(hidden).toContain("error");
});

test("Per-user tool handlers", async () => {
  const sample = sampleOf("Per-user tool handlers", { "// ...": "return core;" });
  const { told } = await runModule(
    `${core}
    const deleteAccount = async (id) => "deleted " + id;
    ${sampleOf("Server-side API key")}
    const { createCores } = { ${sample} };
    const ask = (user) => {
      const core = createCores(user);
      core.provider = "openai";
      return core.send("Delete it", { model: "gpt-4o", tools: [${JSON.stringify(tool("delete_account"))}] });
    };
    export const told = await Promise.all([ask({ id: "ada", canDelete: true }), ask({ id: "bob", canDelete: false })]);`,
  );
  expect(told).toEqual(["It says deleted ada.", 'It says {"error":"forbidden"}.']);
});

test("Hot reload", async () => {
  const { before, after } = await runModule(
    `import { getRegisteredTool } from "@csbc-dev/ai-agent";
    const getWeatherHandler = () => "sun";
    let dispose;
    const hot = { dispose: (run) => (dispose = run) };
    ${sampleOf("Hot reload")}
    export const before = getRegisteredTool("get_weather")?.();
    dispose();
    export const after = getRegisteredTool("get_weather");`,
    { define: { "import.meta.hot": "hot" } },
  );
  expect([before, after]).toEqual(["sun", undefined]);
});

test("Authenticated deployments", async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "key", alg: "RS256", use: "sig" }];
  pages["/.well-known/jwks.json"] = { body: JSON.stringify({ keys }), type: "application/json" };
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: "RS256", kid: "key" })
    .setIssuer("https://example.auth0.com/")
    .setAudience("https://api.example.com")
    .setSubject("ada")
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(privateKey);
  const server = await startAuthenticatedServer();
  const open = (bearer: string, origin: string) =>
    new WebSocket(server.url, [`auth0-gate.bearer.${bearer}`], { headers: { origin } });

  const refusal = async (bearer: string, origin: string) =>
    ((await once(open(bearer, origin), "close")) as number[])[0];
  vi.spyOn(console, "warn").mockImplementation(() => {});
  expect(await refusal("forged", "https://app.example.com")).toBe(1008);
  expect(await refusal(token, "https://elsewhere.example")).toBe(1008);
  vi.mocked(console.warn).mockRestore();

  const socket = open(token, "https://app.example.com");
  const proxy = createRemoteCoreProxy(AiCore.wcBindable, new WebSocketClientTransport(socket as never));
  await proxy.setWithAck("provider", "openai");
  const said = await proxy.invoke("send", "Hello", { model: "gpt-4o", apiKey: "" });
  expect(said).toBe("You said: Hello");
  expect(last().headers).toMatchObject({ authorization: "Bearer server-key" });
  proxy.dispose();
  socket.close();
  await server.close();
});
