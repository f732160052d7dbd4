import { expect, test } from "vitest";
import { createTimeShare } from "./time-share.ts";

test("a caller that has used its share up is refused until time gave it back, and no other is", () => {
  let time = 0;
  const share = createTimeShare({ most: 1000, now: () => time });
  share.spend("one", 600);
  share.check("one");
  share.spend("one", 600);
  expect(() => share.check("one")).toThrow(/limit rehearsalTime/);
  share.check("other");
  time += 1000;
  expect(() => share.check("one")).toThrow(expect.objectContaining({ code: "requests-too-many", retryAfter: 2000 }));
  time += 2000;
  share.check("one");
});
