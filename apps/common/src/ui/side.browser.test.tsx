import { render } from "preact";
import { expect, onTestFinished, test } from "vitest";
import { userEvent } from "vitest/browser";
import { Side, SideButton, createSide } from "./side.tsx";

test("the side takes the focus, keeps what is behind it out of reach, and gives both back", async () => {
  const root = document.createElement("div");
  document.body.append(root);
  onTestFinished(() => {
    render(null, root);
    root.remove();
  });
  const side = createSide();
  const Page = () => (
    <>
      <header inert={side.isOpen.value}>
        <SideButton side={side} name="Conversations" />
      </header>
      <Side side={side} name="Conversations">
        <a href="#one">One</a>
      </Side>
    </>
  );
  render(<Page />, root);
  const find = (selector: string) => root.querySelector<HTMLElement>(selector);
  const state = () => [find("header")?.inert, find(".menu")?.ariaExpanded, find(".scrim") !== null];
  expect([find(".menu")?.ariaLabel, find("nav")?.ariaLabel]).toEqual(["Conversations", "Conversations"]);
  await userEvent.click(find(".menu") ?? root);
  await expect.poll(() => find("nav")?.contains(document.activeElement)).toBe(true);
  expect(state()).toEqual([true, "true", true]);
  await userEvent.keyboard("{Escape}");
  await expect.poll(() => document.activeElement === find(".menu")).toBe(true);
  expect(state()).toEqual([false, "false", false]);
});
