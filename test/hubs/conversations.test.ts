// The hub of a conversation dies, or sleeps, while the model answers.
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openCore } from "../chaos/kills/core-client.ts";
import type { CoreClient } from "../chaos/kills/core-client.ts";
import { answerTo, startScriptedModel } from "../chaos/kills/scripted-model.ts";
import { startHub } from "../e2e/support/hub-process.ts";
import { startNats } from "../support/start-nats.ts";
import { startPostgres } from "../support/start-postgres.ts";

async function openWorld() {
  const asked: string[] = [];
  const model = await startScriptedModel((question) => asked.push(question));
  const [nats, postgres] = await Promise.all([startNats(), startPostgres()]);
  for (const each of [model, nats, postgres]) onTestFinished(() => each.close());
  const args = ["--no-demo", "--model", "openai/scripted", "--nats", nats.url];
  const options = { args: [...args, "--database", await postgres.newDatabase()], env: model.environment };
  const a = await startHub(options);
  const home = await mkdtemp(join(tmpdir(), "pagewire-home-"));
  await copyFile(join(a.home, "token"), join(home, "token"));
  const b = await startHub({ ...options, home });
  onTestFinished(async () => {
    for (const hub of [a, b]) hub.process.kill("SIGKILL");
    await rm(home, { recursive: true, force: true });
  });
  return { a, b, asked, token: await a.token() };
}

/** Opens a conversation as clients do: again, until a hub has it. */
async function reopen(options: Parameters<typeof openCore>[0]): Promise<CoreClient> {
  for (;;) {
    const client = await openCore(options).catch(() => undefined);
    if (client) return client;
    await pause(100);
  }
}

const textsOf = ({ messages }: CoreClient) => messages.map(({ content }) => content);

test.each([["killed", "SIGKILL"] as const, ["stopped", "SIGSTOP"] as const])(
  "MH74: a conversation whose hub is %s in the middle of an answer goes on at another, with its question",
  async (_, signal) => {
    const { a, b, asked, token } = await openWorld();
    const first = await openCore({ url: a.url, token });
    const { session } = first;
    await first.run("send", "one", {});
    const slow = "two ".repeat(200);
    const cut = first.run("send", slow, {}).catch(() => "cut");
    const beside = await openCore({ url: b.url, token, session });
    await expect.poll(() => asked.length).toBe(2);
    a.process.kill(signal);
    const next = await reopen({ url: b.url, token, session });
    expect(textsOf(next)).toEqual(["one", answerTo("one"), slow]);
    expect(await next.run("send", "three", {})).toBe(answerTo("three"));
    a.process.kill("SIGCONT");
    expect(await cut).toBe("cut");
    const after = await reopen({ url: b.url, token, session });
    expect(textsOf(after)).toEqual(["one", answerTo("one"), slow, "three", answerTo("three")]);
    expect(asked).toEqual(["one", slow, "three"]);
    for (const client of [first, beside, next, after]) client.close();
  },
  120_000,
);
