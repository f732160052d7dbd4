import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { bearerText, formatBearer } from "../wire/index.ts";
import type { ProofRound } from "../wire/index.ts";
import { codeOf } from "./authentication-code.ts";
import { proveHub, placeOf } from "./prove-hub.ts";
import { answerProof, openServer } from "./proving-server.test-helper.ts";
import type { ProvingServer } from "./proving-server.test-helper.ts";
import { failureOf } from "./scripted-hub.test-helper.ts";

const token = "a-token-of-this-test";
const servers: ProvingServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function open(answer: Parameters<typeof openServer>[0], host?: string): Promise<ProvingServer> {
  const server = await openServer(answer, host);
  servers.push(server);
  return server;
}

/** Makes a server answer as the token's hub does, except for one change. */
const changed =
  (change: (answer: Record<string, unknown>) => object) => (request: IncomingMessage, response: ServerResponse) => {
    const end = response.end.bind(response) as (text: string) => ServerResponse;
    response.end = ((text: string) =>
      end(JSON.stringify(change(JSON.parse(text) as Record<string, unknown>)))) as never;
    answerProof(token, request, response);
  };

test("C38: a hub that proves that it has the token gets a proof in return, and never the token", async () => {
  const answers: ProofRound[] = [];
  const asked: string[] = [];
  const hub = await open((request, response) => {
    asked.push(`${request.url} ${JSON.stringify(request.rawHeaders)}`);
    const nonce = new URL(request.url ?? "", "http://hub").searchParams.get("nonce") ?? "";
    changed((answer) => {
      answers.push({ secret: "shell", nonce, ...answer } as unknown as ProofRound);
      return answer;
    })(request, response);
  });
  const proven = await proveHub({ url: hub.url, token, secret: "shell" });
  const [round] = answers;
  if (round === undefined) throw new Error("Nothing was asked.");
  expect(proven).toEqual({ url: hub.url, token: formatBearer(round, await codeOf(token, bearerText(round))) });
  expect(asked).toHaveLength(1);
  expect(asked.join() + proven.token).not.toContain(token);
  const again = await proveHub({ url: hub.url, token });
  expect(again.token).not.toBe(proven.token);
});

test.each<[string, (answer: Record<string, unknown>) => object]>([
  ["a proof that is another's", (answer) => ({ ...answer, proof: "x".repeat(43) })],
  ["no proof", (answer) => ({ ...answer, proof: undefined })],
  ["a proof of another time", (answer) => ({ ...answer, expiresAt: Date.now() + 1e9 })],
  ["another answer than it proved", (answer) => ({ ...answer, answer: "y".repeat(43) })],
  ["another address than it proved", (answer) => ({ ...answer, address: "127.0.0.1:1" })],
  ["an answer that is none", () => ["proof"]],
  ["the health of a hub", () => ({ ok: true })],
])("what answers with %s is not the hub", async (_, change) => {
  const { url } = await open(changed(change));
  const error = await failureOf(proveHub({ url, token }));
  expect([error.code, error.message]).toEqual(["hub-not-proven", expect.stringContaining(`What answers at ${url} `)]);
  expect(error.message).toContain("The token was not sent.");
});

test("the error names the expected hub, and gives advice", async () => {
  const says = async (answer: Parameters<typeof openServer>[0]) => {
    const { url } = await open(answer);
    return (await failureOf(proveHub({ url, token }))).message;
  };
  expect(await says((_, response) => response.end("ok\n"))).toContain("It is no hub. End that program");
  expect(await says((request, response) => answerProof("another", request, response))).toContain(
    "the hub of another user or of another state directory",
  );
  const error = { code: "route-not-found", message: "There is nothing here." };
  expect(await says((_, response) => response.writeHead(404).end(JSON.stringify({ error })))).toContain(
    "a hub that is older than this program, or one that did not give this token",
  );
  const signed = { code: "token-required", message: "This hub is in jwt mode." };
  expect(await says((_, response) => response.writeHead(401).end(JSON.stringify({ error: signed })))).toContain(
    "Bring one for the audience pagewire:agent: put it into PAGEWIRE_TOKEN.",
  );
});

test("reading an endless answer stops at the size of a proof", async () => {
  const { url } = await open((_, response) => {
    response.on("error", () => {});
    const more = () => {
      while (!response.destroyed && response.write("{".repeat(1000)));
      response.once("drain", more);
    };
    more();
  });
  expect((await failureOf(proveHub({ url, token }))).code).toBe("hub-unreachable");
});

test("a relay to the hub is not the hub, unless the option names the hub's own address", async () => {
  const hub = await open((request, response) => answerProof(token, request, response));
  const relay = await open((request, response) => {
    void fetch(hub.url + (request.url ?? "")).then(async (answer) => response.end(await answer.text()));
  });
  const address = `127.0.0.1:${hub.port}`;
  const error = await failureOf(proveHub({ url: relay.url, token }));
  expect(error.code).toBe("hub-not-proven");
  expect(error.message).toContain(`passes on what it is sent to the hub at ${address}`);
  expect(error.message).toContain(`PAGEWIRE_RELAY_TO=${address}`);
  for (const relayTo of [address, `127.0.0.1:1, ${address}`])
    expect((await proveHub({ url: relay.url, token, relayTo })).url).toBe(relay.url);
  expect((await failureOf(proveHub({ url: relay.url, token, relayTo: "127.0.0.1:1" }))).code).toBe("hub-not-proven");
});

test.each([
  { asked: "http://127.0.0.1:7337", proven: "127.0.0.1:7337", to: "http://127.0.0.1:7337" },
  { asked: "http://localhost:7337", proven: "127.0.0.1:7337", to: "http://127.0.0.1:7337" },
  { asked: "http://hub.localhost:7337/below", proven: "[::1]:7337", to: "http://[::1]:7337/below" },
  { asked: "http://localhost:7337", proven: "127.0.0.1:7338", to: undefined },
  { asked: "http://localhost:7337", proven: "10.0.0.7:7337", to: undefined },
  { asked: "http://[::1]:7337", proven: "127.0.0.1:7337", to: undefined },
  { asked: "http://127.8.9.1:7337", proven: "127.0.0.1:7337", to: undefined },
  { asked: "http://10.0.0.7:7337", proven: "10.0.0.7:7337", to: "http://10.0.0.7:7337" },
  { asked: "http://hub.example", proven: "10.0.0.7:80", to: "http://hub.example" },
  { asked: "http://127.0.0.1:7337", proven: "nowhere at all", to: undefined },
])("of a hub that was asked at $asked and proved itself at $proven, the place is $to", ({ asked, proven, to }) => {
  expect(placeOf(asked, proven, undefined)).toBe(to);
});

test("C38: over https, and with a token of an app's server or of the hub's own page, no proof is needed", async () => {
  const app = `pagewire-app.${"x".repeat(43)}`;
  const signed = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl";
  const fetch = () => Promise.reject(new Error("asked"));
  expect(await proveHub({ url: "https://hub.example/", token, fetch })).toEqual({ url: "https://hub.example", token });
  for (const given of [signed, app]) {
    const url = "http://127.0.0.1:1";
    expect(await proveHub({ url, token: given, fetch })).toEqual({ url, token: given });
  }
  await expect(proveHub({ url: "http://127.0.0.1:1", token: `${signed}.`, fetch })).rejects.toThrow("asked");
});
