import { afterEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { askToSwitch } from "./ask-to-switch.tsx";

afterEach(() => document.body.replaceChildren());

test("who is signed in is asked by name, and stays unless a person's click says otherwise", async () => {
  const staying = askToSwitch(document.body, "me", "y\u202eou");
  await expect.element(page.getByRole("alert")).toHaveTextContent("You are signed in as me.");
  expect(document.body.textContent).toContain("y⟨U+202E⟩ou");
  const [, leave] = document.querySelectorAll("button");
  leave?.click();
  await userEvent.keyboard("{Enter}");
  expect(await staying).toBe(false);

  const switching = askToSwitch(document.body, "me", "you");
  const button = page.getByRole("button", { name: "Sign in as you" });
  const isDone = switching.then(() => true);
  // It counts once it has been in its place for a moment.
  await expect
    .poll(async () => {
      await userEvent.click(button);
      return Promise.race([isDone, new Promise((resolve) => setTimeout(resolve, 100, false))]);
    })
    .toBe(true);
  expect(await switching).toBe(true);
});
