import fc from "fast-check";
import { expect, test } from "vitest";
import { serveChat, record } from "./remote.test-helper.ts";
import type { ChatMessage } from "./chat-core.test-helper.ts";

const answer = "It is 12 degrees in Tokyo.";

test("wherever a socket is cut during a command, the command runs once, is answered once, and no value is lost or repeated", async () => {
  const count = async (cutAt: number) => {
    const served = serveChat();
    let frames = 0;
    let cuts = 0;
    served.frames = () => {
      frames++;
      if (frames !== cutAt) return true;
      cuts++;
      return false;
    };
    const remote = served.connect();
    const updates = record(remote.proxy);
    const outcomes: unknown[] = [];
    remote.proxy.set("provider", "openai");
    void remote.proxy.invokeWithOptions("send", ["Weather?"], { timeoutMs: 0 }).then((value) => outcomes.push(value));
    await served.clock.advance(10_000);
    const { content, messages, loading } = remote.proxy;
    expect([outcomes, content, messages, loading], `cut at frame ${cutAt}`).toEqual([
      [answer],
      answer,
      [
        { role: "user", content: "Weather?" },
        { role: "assistant", content: answer },
      ],
      false,
    ]);
    expect([served.core.sends, served.core.provider, served.cores.length]).toEqual([1, "openai", 1]);
    const texts = updates.flatMap(([name, value]) => (name === "content" ? [value as string] : []));
    for (const text of texts) expect(answer.startsWith(text)).toBe(true);
    const lengths = updates.flatMap(([name, value]) => (name === "messages" ? [(value as ChatMessage[]).length] : []));
    expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
    remote.close();
    served.sessions.close();
    return { frames, cuts };
  };
  const { frames } = await count(0);
  expect(frames).toBeGreaterThan(15);
  let cut = 0;
  for (let at = 1; at <= frames; at++) cut += (await count(at)).cuts;
  expect(cut).toBe(frames);
});

test("however often the sockets of two clients are cut, each call runs once and ends once, and both have the core's values", async () => {
  const cuts = fc.array(fc.nat(25), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(cuts, async (gaps) => {
      const served = serveChat();
      let left = gaps[0] ?? 0;
      let at = 0;
      served.frames = () => {
        if (at >= gaps.length || left-- > 0) return true;
        left = gaps[++at] ?? 0;
        return false;
      };
      const desk = served.connect({ session: "s", heartbeat: 1000 });
      const phone = served.connect({ session: "s", heartbeat: 1000 });
      const calls: Promise<unknown>[] = [desk, phone].map(({ proxy }) =>
        proxy.invokeWithOptions("send", ["Weather?"], { timeoutMs: 0 }),
      );
      calls.push(desk.proxy.setWithAckOptions("provider", "openai", { timeoutMs: 0 }));
      desk.proxy.set("provider", "last");
      await served.clock.advance(60_000);
      served.core.change("content", `${served.core.content} Bye.`);
      await served.clock.advance(60_000);
      await Promise.all(calls);
      expect([served.core.sends, served.core.provider, served.cores.length]).toEqual([2, "last", 1]);
      for (const { proxy } of [desk, phone]) {
        const { content, messages, loading } = served.core;
        expect([proxy["content"], proxy["messages"], proxy["loading"]]).toEqual([content, messages, loading]);
      }
      desk.close();
      phone.close();
      served.sessions.close();
      await served.clock.advance(0);
      expect(served.clock.pending).toBe(0);
    }),
    { numRuns: 150 },
  );
});
