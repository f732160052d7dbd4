import { render } from "preact";
import { afterEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { Dialog } from "../ui/dialog.tsx";
import { Consents } from "./consents.tsx";

afterEach(() => render(null, document.body));

const pay = { key: "k", tool: "pay", origin: "http://shop.test", approved: true };

/** Takes the decision back, in a dialog, where a toast beside it is inert. */
async function takeBack(session: Parameters<typeof Consents>[0]["session"]) {
  const content = <Consents session={session} none={<p>You are asked each time.</p>} />;
  render(
    <Dialog title="Settings" onClose={() => {}}>
      {content}
    </Dialog>,
    document.body,
  );
  await expect.poll(() => document.querySelector(".lines .button")).not.toBeNull();
  await userEvent.click(document.querySelector(".lines .button") as HTMLElement);
  const says = (role: string) => document.querySelector(`dialog [role=${role}]`)?.textContent;
  const hasFocus = () => document.querySelector("dialog .lines")?.parentElement === document.activeElement;
  return { says, hasFocus };
}

test("a decision that was taken back is said where it was listed, which has the focus", async () => {
  let consents = [pay];
  const { says, hasFocus } = await takeBack({
    request: async (method) => {
      if (method === "DELETE") consents = [];
      return { consents };
    },
  });
  await expect.poll(() => says("status")).toBe("You are asked about pay again.");
  await expect.poll(() => document.querySelector("dialog")?.textContent).toContain("You are asked each time.");
  expect([says("alert"), hasFocus()]).toEqual([undefined, true]);
});

test("a decision that cannot be taken back says why in the same place", async () => {
  const { says, hasFocus } = await takeBack({
    request: async (method) => {
      if (method === "DELETE") throw new Error("The disk is full.");
      return { consents: [pay] };
    },
  });
  await expect.poll(() => says("alert")).toBe("pay: The disk is full.");
  expect([says("status"), hasFocus()]).toEqual(["", true]);
});
