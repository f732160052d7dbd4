// The agent's window and its app through what happens to windows: reloads, a hub that stops, a window that is closed.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { answer, ask, countsOf, createAssistantWorld, ready, started } from "./agent-window.test-helper.ts";
import type { AssistantWorld } from "./agent-window.test-helper.ts";
import type { Tab } from "./support/tab.ts";

const otherSite = "app.test";

describe.each([
  ["of the same site", "127.0.0.1"],
  ["of another site", otherSite],
])("an app %s", (where, host) => {
  let world: AssistantWorld;
  let app: Tab;
  let assistant: Tab;
  const statesOf = () => app.evaluate<string[][]>("states");

  beforeAll(async () => {
    // A window is away until it has loaded again, which takes long on a busy machine.
    world = await createAssistantWorld({ host, limits: { graceTime: 60_000 } });
    app = await world.openApp();
    assistant = await world.openAssistant(app);
  });
  afterAll(() => world?.close());

  /** Calls a tool that ends only when the test lets it, and waits until it runs. */
  async function hold(tag: string): Promise<void> {
    await ask(assistant, `call hold {"tag":"${tag}"}`);
    await started(app, tag);
  }

  /** The app and its window are in the same state as before, connected over a port, and the next call works. */
  async function worksAgain(tag: string): Promise<void> {
    await app.waitFor("bridge.getConnectionState() === 'connected'");
    await ready(assistant);
    expect(await app.popups()).toHaveLength(1);
    await ask(assistant, `call echo {"tag":"${tag}"}`);
    expect(await answer(assistant)).toBe(`{"tag":"${tag}"}`);
    expect(await countsOf(app, tag)).toEqual({ ran: 1, aborted: 0 });
  }

  function note(fault: string, observed: string): void {
    recordFault("assistant", {
      fault: `${fault} (${where})`,
      expected: "one run, and the model is told the truth",
      observed,
      count: 1,
    });
  }

  test("the model calls a tool of the app that opened the assistant, and gets its result", async () => {
    await worksAgain("plain");
    expect(await statesOf()).toEqual([
      ["disconnected", "connecting", null],
      ["connecting", "connected", null],
    ]);
  });

  test("an app that is reloaded while idle reconnects to its window, and opens no other", async () => {
    const conversation = await conversationOf(assistant);
    await app.reload();
    await worksAgain("reloaded-app");
    expect(await conversationOf(assistant)).toBe(conversation);
    expect(await app.evaluate("bridge.isAgentOpen()")).toBe(true);
  });

  test("when an app's reload interrupts a call, the model gets an unknown outcome, and the call runs once", async () => {
    await hold("cut");
    await app.reload();
    expect(await answer(assistant)).toContain("(outcome-unknown)");
    expect(await countsOf(app, "cut")).toEqual({ ran: 1, aborted: 0 });
    await worksAgain("after-cut");
    note("app reloaded while its tool runs", "outcome-unknown, one run");
  });

  test("a window that is reloaded while idle restores its conversation and the app's tools", async () => {
    const conversation = await conversationOf(assistant);
    await assistant.reload();
    await worksAgain("reloaded-window");
    expect(await conversationOf(assistant)).toBe(conversation);
    expect((await statesOf()).at(-1)).toEqual(["connecting", "connected", null]);
  });

  test("a call that runs while the window is reloaded continues, and its result reaches the model", async () => {
    await hold("joined");
    await assistant.reload();
    await ready(assistant);
    await app.evaluate("held.joined()");
    expect(await answer(assistant)).toBe('{"tag":"joined"}');
    expect(await countsOf(app, "joined")).toEqual({ ran: 1, aborted: 0 });
    note("window reloaded while a tool runs", "ok, one run");
  });

  test("a call that ends while the window is away is answered once the window is back", async () => {
    await hold("meanwhile");
    await assistant.evaluate("addEventListener('pagehide', () => opener.postMessage('the window is leaving', '*'))");
    await app.evaluate(
      "addEventListener('message', ({ data }) => data === 'the window is leaving' && held.meanwhile())",
    );
    await assistant.reload();
    expect(await answer(assistant)).toBe('{"tag":"meanwhile"}');
    expect(await countsOf(app, "meanwhile")).toEqual({ ran: 1, aborted: 0 });
    note("a tool ends while the window is being reloaded", "ok, one run");
  });

  test("BR39: a call that ended in an app that was reloaded since is answered, where the window was away", async () => {
    await hold("kept");
    await assistant.evaluate("addEventListener('pagehide', () => opener.postMessage('the window is leaving', '*'))");
    await app.evaluate(
      "addEventListener('message', ({ data }) => { if (data === 'the window is leaving') { held.kept(); setTimeout(() => location.reload()); } })",
    );
    await assistant.reload();
    expect(await answer(assistant)).toBe('{"tag":"kept"}');
    expect(await countsOf(app, "kept")).toEqual({ ran: 1, aborted: 0 });
    await worksAgain("after-kept");
    note("a tool ends while the window is being reloaded, and then the app is reloaded", "ok, one run");
  });

  test("a call that ran while both sides were reloaded is told as unknown, and never runs again", async () => {
    await hold("both");
    await Promise.all([app.reload(), assistant.reload()]);
    expect(await answer(assistant)).toContain("(outcome-unknown)");
    expect(await countsOf(app, "both")).toEqual({ ran: 1, aborted: 0 });
    await worksAgain("after-both");
    note("app and window reloaded while a tool runs", "outcome-unknown, one run");
  });

  // The site of the app is nothing to its hub: once is enough.
  describe.runIf(host === otherSite)("when its hub goes", () => {
    test("a hub that is restarted while idle restores the conversation and the app's tools", async () => {
      const conversation = await conversationOf(assistant);
      const count = await messageCountOf(assistant);
      await world.restartHub();
      await worksAgain("restarted-hub");
      expect(await conversationOf(assistant)).toBe(conversation);
      expect(await messageCountOf(assistant)).toBeGreaterThan(count);
      expect((await statesOf()).at(-1)).toEqual(["connecting", "connected", null]);
    });

    test("when a hub's stop interrupts a call, the conversation shows an unknown outcome, and the call runs once", async () => {
      await hold("stopped-hub");
      await world.restartHub();
      await app.evaluate("held['stopped-hub']()");
      // If the window was offline for longer, it has already abandoned the send when it receives this.
      await assistant.waitFor(
        "document.querySelector('.talk').innerText.includes('It was stopped while it ran: whether it did anything is not known')",
      );
      await worksAgain("after-hub");
      expect(await countsOf(app, "stopped-hub")).toEqual({ ran: 1, aborted: 0 });
      const told = await assistant.evaluate<string[]>(
        "document.querySelector('ai-agent').messages.filter(({ role }) => role === 'tool').map(({ content }) => content)",
      );
      expect(told.at(-2)).toContain("whether it did anything is not known");
      note("hub restarted while a tool runs", "told as unknown, one run");
    });

    test("a stopping hub lets the running call end, and the window reconnects to the next hub", async () => {
      await hold("drained");
      const drained = world.hub.drain();
      await app.evaluate("held.drained()");
      expect(await answer(assistant)).toBe('{"tag":"drained"}');
      await drained;
      await world.restartHub();
      await worksAgain("after-drain");
      expect(await countsOf(app, "drained")).toEqual({ ran: 1, aborted: 0 });
      note("hub told to stop while a tool runs", "ok, one run");
    });

    test.each(["short", "long"])(
      "a question that a killed hub did not answer stays in the conversation with the reason, and its call is not made again: away for %s",
      async (time) => {
        const tag = `killed-${time}`;
        await hold(tag);
        const isGivenUp = "document.querySelector('ai-agent').loading === false";
        await world.replaceKilledHub(() => (time === "long" ? assistant.waitFor(isGivenUp) : Promise.resolve()));
        await ready(assistant);
        await expect
          .poll(() => assistant.evaluate("document.querySelector('.talk').innerText"))
          .toMatch(/The connection was lost.+; what became of it is not known\./);
        expect(await assistant.evaluate(lastMessage)).toEqual({ role: "user", content: `call hold {"tag":"${tag}"}` });
        expect(await assistant.evaluate("document.querySelector('.composer textarea').value")).toBe("");
        await app.evaluate((tag) => (window as unknown as { held: Record<string, () => void> }).held[tag]?.(), tag);
        await worksAgain(`after-${tag}`);
        expect(await countsOf(app, tag)).toEqual({ ran: 1, aborted: 0 });
        note(`hub killed while a tool runs, and away for ${time}`, "question kept, one run");
      },
    );
  });
});

function conversationOf(assistant: Tab): Promise<string> {
  return assistant.evaluate("document.querySelector('ai-agent').conversation");
}

const lastMessage = `(({ role, content }) => ({ role, content }))(document.querySelector("ai-agent").messages.at(-1))`;

function messageCountOf(assistant: Tab): Promise<number> {
  return assistant.evaluate("document.querySelector('ai-agent').messages.length");
}
