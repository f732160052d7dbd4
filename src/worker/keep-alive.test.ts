import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { createKeepAlive } from "./keep-alive.ts";

test("a ServiceWorker stays for as long as it is asked to once a minute, and not for ever", async () => {
  const clock = createFakeClock();
  const stay = createKeepAlive(clock);
  let staying = 0;
  const ask = () => {
    staying++;
    void stay().then(() => staying--);
  };
  ask();
  for (let minute = 0; minute < 10; minute++) {
    await clock.advance(60_000);
    expect(staying).toBe(1);
    ask();
  }
  await clock.advance(89_999);
  expect(staying).toBe(1);
  await clock.advance(1);
  expect([staying, clock.pending]).toEqual([0, 0]);
});
