import { expect, test } from "vitest";
import { createTimeShares } from "./time-share.ts";

test("a caller that has used its share up is refused until time gave it back, and no other is", () => {
  let time = 0;
  const shares = createTimeShares({ most: 1000, now: () => time });
  const one = shares.of("one");
  one.spend(600);
  one.check();
  shares.of("one").spend(600);
  expect(one.check).toThrow(/limit rehearsalTime/);
  shares.of("other").check();
  time += 1000;
  expect(one.check).toThrow(expect.objectContaining({ code: "requests-too-many", retryAfter: 2000 }));
  time += 2000;
  one.check();
});
