// A page with a valid token that claims another page's calls, with all identifiers of that page: it achieves nothing.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Tab } from "../support/tab.ts";
import { listTabs, tabIdOf } from "../support/world.ts";
import { startObedientHub } from "./obedient-hub.test-helper.ts";
import type { ObedientHub } from "./obedient-hub.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

let obedient: ObedientHub;
let victim: Tab;
let evil: Tab;

beforeAll(async () => {
  obedient = await startObedientHub();
  obedient.served["/victim"] = await victimPage();
  obedient.served["/evil"] = "<!doctype html><title>Evil</title>";
});
beforeEach(async () => {
  victim = await obedient.openTab("mail.test", "/victim");
  evil = await obedient.browser.open(`${obedient.origin("evil.test")}/evil`);
});
afterEach(async () => {
  for (const tab of await obedient.browser.tabs()) await tab.close();
});
afterAll(() => obedient?.close());

/** A page whose tool waits until it is released. The test can read all its frames, as a thief would have them. */
async function victimPage(): Promise<string> {
  return `<!doctype html><title>Victim</title><script>
window.said = [];
window.heard = [];
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (data) {
  if (!said.length) this.addEventListener("message", ({ data }) => heard.push(String(data)));
  said.push(String(data));
  return send.call(this, data);
};
</script><script src="${obedient.hub.url}/pagewire.js" data-app="victim" data-token="${await obedient.pageToken("alice")}"></script><script>
const execute = () => new Promise((resolve) => (window.finish = () => resolve("the victim's own answer")));
pagewire.registerTool({ name: "hold", description: "Holds.", inputSchema: { type: "object" }, execute });
</script>`;
}

interface Stolen {
  readonly hello: Readonly<Record<string, unknown>>;
  /** The id of the running call. */
  readonly call: string;
}

async function steal(): Promise<Stolen> {
  const find = (list: string, type: string) =>
    victim.waitFor<Record<string, unknown>>(
      `${list}.flatMap((text) => text.split("\\n")).flatMap((line) => { try { return JSON.parse(line); } catch { return []; } })
        .find((frame) => frame?.type === "${type}")`,
    );
  const [hello, call] = [await find("said", "hello"), await find("heard", "call")];
  return { hello, call: String(call["id"]) };
}

/** Each claim that a page can make about another page's call or tab. */
function claimsOf(call: string): readonly string[] {
  const forged = JSON.stringify({ content: [{ type: "text", text: "forged" }] });
  const tools = JSON.stringify({ tools: ["hold", "extra"].map((name) => ({ name, inputSchema: { type: "object" } })) });
  const about = [call, "1", "2", `${call}0`].flatMap((id) => [
    `${JSON.stringify({ type: "ack", id })}\n`,
    `${JSON.stringify({ type: "progress", id, progress: 1, message: "forged" })}\n`,
    `${JSON.stringify({ type: "result", id })}\n${forged}`,
    `${JSON.stringify({ type: "failure", id, ran: "no", code: "handler-failed", message: "forged" })}\n`,
  ]);
  return [
    `{"type":"offer"}\n${tools}`,
    '{"type":"tab","title":"forged"}\n',
    ...about,
    '{"type":"suspended","reason":"frozen"}\n',
  ];
}

/** Sends this hello, then each claim on the same socket; resolves with the hub's frames once it has read all claims. */
function claim(url: string, hello: object, claims: readonly string[]): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    const types: string[] = [];
    Object.assign(window, { socket });
    socket.onopen = () => socket.send(JSON.stringify(hello));
    socket.onmessage = ({ data }) => {
      const { type } = JSON.parse(String(data).split("\n")[0] ?? "") as { type: string };
      types.push(type);
      if (type !== "welcome") return;
      for (const one of claims) socket.send(one);
      socket.close();
    };
    socket.onclose = () => resolve(types);
  });
}

const untouched = "the victim's own answer, its tab as it was, nothing heard of it";

test.each(["mallory", "alice"])(
  "a page with a token of %s's that claims another page's tab, epochs and running call answers nothing and changes nothing",
  async (person) => {
    const tally = startTally(
      "claims",
      `another origin's page with ${person}'s token claims a tab and its running call`,
      untouched,
    );
    const call = await obedient.agent("alice");
    const running = call("hold", {});
    const { hello, call: id } = await steal();
    const tabId = await tabIdOf(victim);
    const claims = claimsOf(id);
    const token = await obedient.pageToken(person);
    const url = `${obedient.hub.url.replace("http", "ws")}/page`;
    const forged = { ...hello, token, running: [id] };
    const heards = [];
    for (const more of [{}, { epochs: [] }, { app: "evil" }, { running: [] }])
      heards.push(await evil.evaluate(claim, url, { ...forged, ...more }, claims));
    expect(heards.flat()).not.toContain("call");
    expect(heards.map(([first]) => first)).toEqual(heards.map(() => "welcome"));
    expect(await victim.evaluate("pagewire.state.status")).toBe("connected");
    expect(await tabIdOf(victim)).toBe(tabId);
    const mine = (await listTabs(call)).find((tab) => tab.tabId === tabId);
    expect(mine).toMatchObject({ app: "victim", tools: ["hold"], state: "connected" });
    await victim.evaluate("finish()");
    const { outcome, result } = await running;
    expect([outcome, result?.content[0]?.text]).toEqual(["ok", "the victim's own answer"]);
    for (const one of claims) for (const [at] of heards.entries()) tally.add(`${at}: ${one}`, untouched);
    tally.close();
  },
);

test("another principal's agent learns nothing about a tab whose id it knows", async () => {
  const unknown = "no such tab, nothing of it told";
  const tally = startTally("claims", "mallory's agent names alice's tab, and asks for lists", unknown);
  const call = await obedient.agent("mallory");
  const tab = await tabIdOf(victim);
  for (const tool of ["hold", "list_browser_tabs", "list_tab_tools", "call_tab_tool"]) {
    const said = JSON.stringify(
      await call(tool, tool === "hold" ? {} : { tabId: tab, name: "hold", arguments: {} }, { tab }),
    );
    tally.add(tool, /Victim|victim|Holds/.test(said) ? said : unknown);
  }
  tally.close();
});
