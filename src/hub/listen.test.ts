import { expect, test } from "vitest";
import { startHub } from "./hub.test-helper.ts";

test("an idle connection is kept for longer than clients and proxies keep theirs, and they are told for how long", async () => {
  const hub = await startHub();
  const keptFor = async (url: string) => {
    const { headers } = await fetch(`${url}/healthz`);
    return [headers.get("connection"), headers.get("keep-alive")];
  };
  expect(await keptFor(hub.url)).toEqual(["keep-alive", "timeout=65"]);
  const short = await startHub({ limits: { keepAliveTime: 7000 } });
  expect(await keptFor(short.url)).toEqual(["keep-alive", "timeout=7"]);
});
