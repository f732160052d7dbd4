import { expect, test } from "vitest";
import { delegate, openTerminal } from "../../doors/delegate/delegate.test-helper.ts";
import { callOnce } from "../../doors/core/model.test-helper.ts";
import { settle } from "../../doors/core/talk.test-helper.ts";
import { startCore } from "../../doors/core/core.test-helper.ts";
import { modern, sendRaw } from "../../doors/mcp/test-support/raw-mcp.test-helper.ts";
import { offerTools, openWindow, parentTool } from "../../doors/window/window.test-helper.ts";
import { signPageToken } from "../../guard/tokens.ts";
import { ownTokens, resolveTeam } from "../../options/team-options.ts";
import { connectAgent, openAgent } from "../../test-support/agent.test-helper.ts";
import { callTool } from "../../test-support/http.test-helper.ts";
import { askOwn, errorOf, signIn } from "../../test-support/own.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { startIssuerHub } from "../test-support/issuer-hub.test-helper.ts";

const destroys = { annotations: { destructiveHint: true } };

test("OA21: the challenge at a route for admins names all scopes, to one who governs and only to them", async () => {
  const hub = await startIssuerHub();
  const boss = { sub: "eve", groups: ["boss"] };
  const ask = async (scope: string, claims?: object) => {
    const { token } = await hub.as(scope, { ...claims });
    const answer = await askOwn(hub, "GET /api/team/people", { token, origin: undefined });
    return [...errorOf(answer), answer.headers.get("www-authenticate")];
  };
  const wanted = expect.stringMatching(
    /^Bearer error="insufficient_scope".*, scope="tools admin", resource_metadata="/,
  );
  expect(await ask("tools", boss)).toEqual([403, "scope-needed", wanted]);
  expect(await ask("tools:destructive", boss)).toEqual([403, "scope-needed", wanted]);
  expect(await ask("admin", boss)).toEqual([200, undefined, null]);
  expect(await ask("admin")).toEqual([403, "admin-needed", null]);
});

test("OA22: over the agents' socket, a call with too small a token ends by name and has not run", async () => {
  const hub = await startIssuerHub();
  const [narrow, wide] = [await hub.as("tools"), await hub.as("tools:destructive")];
  for (const by of ["token", "headerToken"] as const) {
    const agent = by === "token" ? await connectAgent(hub.url, narrow) : await greeted(hub.url, narrow.token);
    const { frame } = await agent.call("wipe", { id: "1" });
    expect(frame).toMatchObject({ type: "failure", ran: "no", code: "scope-needed" });
    expect("message" in frame && frame.message).toContain("tools:destructive");
    expect((await agent.call("look", { id: "2" })).frame.type).toBe("result");
  }
  expect((await (await connectAgent(hub.url, wide)).call("wipe", { id: "1" })).frame.type).toBe("result");
  const none = await hub.as("openid");
  const refused = await openAgent(hub.url, { headerToken: none.token }).catch((error: Error) => error.message);
  expect(refused).toContain("403");
});

async function greeted(url: string, headerToken: string) {
  const agent = await openAgent(url, { headerToken });
  agent.send({ type: "hello", versions: [1], agent: { name: "tester", version: "1" } });
  await agent.next("welcome");
  return agent;
}

test("OA22: a page that gives the code itself gets no client to ask for more", async () => {
  const failure = { outcome: "rejected", ran: "no", code: "scope-needed", message: "Give me more." } as const;
  const hub = await startIssuerHub({}, (call) => call.fail(failure));
  const wide = await hub.as("tools:destructive");
  const { status, headers, messages } = await sendRaw(
    wide,
    modern("tools/call", { name: "wipe", arguments: {} }),
  ).whole();
  expect([status, headers["www-authenticate"]]).toEqual([200, undefined]);
  expect(messages).toMatchObject([{ result: { isError: true } }]);
  expect((await callTool(wide, "wipe")).headers["www-authenticate"]).toBeUndefined();
});

test("OA22: a terminal's programs may use what the token may that it was made with", async () => {
  const hub = await startIssuerHub();
  const wipe = async (scope: string) => {
    const terminal = await openTerminal(await hub.as(scope), hub.page.tabId);
    const { status, json } = await delegate(hub, terminal, { fields: { action: "wipe" } });
    return [status, json["code"], hub.page.calls.length];
  };
  expect(await wipe("tools")).toEqual([403, "scope-needed", 0]);
  expect(await wipe("tools:destructive")).toEqual([200, undefined, 1]);
});

test("OA22: the hub's model may use what its person's token may, in tabs and in the page that opened its window", async () => {
  for (const [scope, said] of [
    ["tools", /scope tools:destructive/],
    ["tools:destructive", /done|ran/],
  ] as const) {
    for (const name of ["wipe", "other-tab_wipe", "parent-window_erase"]) {
      const { fetch } = callOnce(name);
      const hub = await startIssuerHub({ ai: { provider: "openai", model: "m", apiKey: "sk", fetch } });
      const who = await hub.as(scope);
      const client = await startCore(hub.url, { token: who.token });
      if (name !== "wipe") {
        const tools = [parentTool("erase", destroys)];
        const session = await offerTools(who, { tools, session_id: client.session, other_tabs: true });
        await openWindow(who, session, {
          token: await signIn(hub, who.token),
          onCall: (call, window) => window.answer(call, "ran"),
        });
      }
      const { answer } = await settle(client, {}, true);
      expect(answer, `${scope} ${name}`).toMatch(said);
    }
  }
});

test("OA22: a page's own conversation is for no more than its page token", async () => {
  const { fetch } = callOnce("wipe");
  const hub = await startIssuerHub({ ai: { provider: "openai", model: "m", apiKey: "sk", fetch } });
  for (const [scope, said] of [
    ["tools", /scope tools:destructive/],
    ["tools:destructive", /done/],
  ] as const) {
    const options = { ...ownTokens(resolveTeam(hub.team)), subject: "acme/ada", scopes: [scope] };
    const protocols = [`pagewire.bearer.${await signPageToken(options)}`];
    const client = await startCore(hub.url, { origin: shop, protocols });
    expect((await settle(client, {}, true)).answer).toMatch(said);
  }
});
