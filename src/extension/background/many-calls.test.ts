// The costs of a call beside the call itself: how often the popup's state and the button are written.
import { expect, test } from "vitest";
import type { PageCallEvent } from "../../page/index.ts";
import { createFakeExtension } from "../fake-extension-api.test-helper.ts";
import { shownCallsMost, shownTab } from "../messages.ts";
import { createBadge } from "./badge.ts";
import { createShownTabs } from "./shown-tabs.ts";
import { createStored } from "./stored.ts";

const place = { tab: 1, origin: "https://shop.example", document: "d" };
const agent = { name: "a test" };

function event(id: number, event: "started" | "ended"): PageCallEvent {
  return {
    id: `${id}`,
    name: "buy",
    agent,
    arguments: {},
    event,
    outcome: "ok",
    milliseconds: 1,
  } as unknown as PageCallEvent;
}

test("a thousand calls at once are a few writes, and the last ones are shown with their outcomes", async () => {
  const { api } = createFakeExtension();
  let writes = 0;
  const session = {
    ...api.storage.session,
    set(items: Readonly<Record<string, unknown>>) {
      writes++;
      return api.storage.session.set(items);
    },
  };
  const shown = createShownTabs(createStored(session), () => 0);
  shown.begin(place, "always");
  for (let id = 0; id < 1000; id++)
    for (const kind of ["started", "ended"] as const) shown.call(place, event(id, kind));
  const stored = async () => (await session.get(shownTab(1)))[shownTab(1)];
  await expect.poll(stored).toMatchObject({ calls: Array.from({ length: shownCallsMost }, () => ({ outcome: "ok" })) });
  expect(await stored()).toMatchObject({ calls: [{ id: "999" }, { id: "998" }].concat(Array(18).fill({})) });
  expect(writes).toBe(1);
});

test("the badge is set once for calls that follow each other, and taken back after the last", async () => {
  const { api, action } = createFakeExtension();
  const said: (string | null)[] = [];
  const badge = createBadge({
    action: {
      ...api.action,
      setBadgeText(details) {
        said.push(details.text);
        return api.action.setBadgeText(details);
      },
    },
  });
  for (let call = 0; call < 1000; call++) {
    badge.calls(1, 1);
    badge.calls(1, 0);
  }
  expect(said).toEqual(["…"]);
  await expect.poll(() => said).toEqual(["…", null]);
  badge.asks(1, 1);
  expect(said.at(-1)).toBe("!");
  expect(action.color).not.toBe("");
});
