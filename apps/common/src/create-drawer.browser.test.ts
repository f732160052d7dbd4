import { afterEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { createDrawer } from "./create-drawer.ts";

afterEach(() => document.body.replaceChildren());

test("the drawer takes the focus, keeps what is behind it out of reach, and gives both back", async () => {
  const behind = document.createElement("main");
  const { button, element, scrim } = createDrawer({
    name: "Conversations",
    content: [document.createElement("ul")],
    behind: [behind],
  });
  document.body.append(button, element, behind, scrim);
  expect([button.ariaLabel, element.ariaLabel]).toEqual(["Conversations", "Conversations"]);
  await userEvent.click(button);
  expect([behind.inert, element.contains(document.activeElement), button.ariaExpanded]).toEqual([true, true, "true"]);
  await userEvent.keyboard("{Escape}");
  expect([behind.inert, document.activeElement === button, scrim.hidden]).toEqual([false, true, true]);
});
