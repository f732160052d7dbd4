import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { justShown, openShadowRoots, part, shown } from "../../dialog/dialog.test-helper.ts";
import { makeContext } from "../actions.test-helper.ts";
import type { ActionContext } from "../registration/action.ts";
import { fetchAction, forgetFetchConsents } from "../index.ts";
import type { FetchPolicy } from "../index.ts";

openShadowRoots();

afterEach(forgetFetchConsents);

const refuse = "footer button:nth-of-type(1)";
const always = "footer button:nth-of-type(2)";
const allow = "button[type=submit]";
const headers = { "content-type": "application/json" };
const order = { url: "/orders?n=1", method: "POST", headers, body: '{"tea":1}' };

/** Lets a program fetch with the browser's real powers, but no request leaves the test. */
function fetchIn(input: object, policy: FetchPolicy = {}, given: Partial<ActionContext> = {}): Promise<unknown> {
  return Promise.resolve(fetchAction(policy).handler({ ...input }, makeContext(given)));
}

const withoutNetwork = () => vi.spyOn(window, "fetch").mockImplementation(async () => new Response("done"));

test("the dialog names the program and the site, and shows exactly what is sent, as text", async () => {
  const sent = withoutNetwork();
  const fetched = fetchIn(order);
  const dialog = await shown();
  expect(part(dialog, "h2").textContent).toBe(`Allow POST to ${location.origin}?`);
  expect(part(dialog, "p").textContent).toContain(
    "The program “a test” wants this page to send a request with your cookies of that site",
  );
  expect(part(dialog, "pre").textContent).toBe(
    `POST ${location.origin}/orders?n=1\ncontent-type: application/json\n\n{"tea":1}`,
  );
  expect(sent).not.toHaveBeenCalled();
  await userEvent.click(part(dialog, allow));
  expect(await fetched).toMatchObject({ structuredContent: { body: "done" } });
  expect(sent).toHaveBeenCalledOnce();
});

test("long bodies are shown in part, bytes by their number, and requests without cookies are said to be", async () => {
  const texts: string[] = [];
  for (const input of [
    { ...order, body: "a".repeat(3000) },
    { ...order, body: "/w==", bodyEncoding: "base64" },
    { url: "https://a.example/" },
  ]) {
    const refused = expect(fetchIn(input, { origins: ["https://a.example"] })).rejects.toThrow("rule `ask`");
    const dialog = await shown();
    texts.push(part(dialog, input.url === order.url ? "pre" : "p").textContent);
    dialog.close();
    await refused;
  }
  expect(texts[0]).toMatch(/a{2000}… \(3000 B\)$/);
  expect(texts[1]).toMatch(/\(binary, 1 B\)$/);
  expect(texts[2]).toContain("a request without cookies");
});

test("a program's name cannot go on as the dialog's words, and nothing that is sent is unseen or buries the rest", async () => {
  const agent = { name: "curl”, which was checked.\n\nNothing is sent" };
  const hidden = { ...order, url: `/${"a".repeat(9000)}`, body: "pay\u202e1" };
  const refused = expect(fetchIn(hidden, {}, { agent })).rejects.toThrow("rule `ask`");
  const dialog = await shown();
  expect(part(dialog, "p").textContent).toMatch(/^The program “curl', which was checked\. Nothing is sent” wants/);
  const { textContent: text } = part(dialog, "pre");
  expect(text).toContain("pay⟨U+202E⟩1");
  expect(text).toMatch(/a… \(90\d\d characters\)\ncontent-type/);
  dialog.close();
  await refused;
});

test("what was typed for the terminal when the dialog came up is no answer", async () => {
  withoutNetwork();
  const fetched = expect(fetchIn(order)).rejects.toThrow("rule `ask`");
  const dialog = await justShown();
  await userEvent.keyboard("ls{Enter}{Tab}{Tab}{Enter} ");
  expect(dialog.open).toBe(true);
  dialog.close();
  await fetched;
});

test("what was allowed until the page is left is asked about again when it comes back", async () => {
  withoutNetwork();
  const fetched = fetchIn(order);
  await userEvent.click(part(await shown(), allow));
  await fetched;
  await fetchIn(order);
  window.dispatchEvent(new PageTransitionEvent("pagehide"));
  const again = expect(fetchIn(order)).rejects.toThrow("rule `ask`");
  (await shown()).close();
  await again;
});

test("refusing is where the keyboard begins, so that somebody who types on allows nothing", async () => {
  withoutNetwork();
  for (const key of ["{Enter}", " ", "{Escape}"]) {
    const fetched = expect(fetchIn(order)).rejects.toMatchObject({ code: "action-refused" });
    await shown();
    await userEvent.keyboard(key);
    await fetched;
  }
});

test("a person may allow a kind of request always, and no script can in their place", async () => {
  withoutNetwork();
  const fetched = fetchIn(order);
  const dialog = await shown();
  part(dialog, always).click();
  part(dialog, allow).click();
  part(dialog, always).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(dialog.open).toBe(true);
  expect(localStorage.getItem("pagewire.fetch-consents")).toBeNull();
  await userEvent.click(part(dialog, always));
  await fetched;
  expect(localStorage.getItem("pagewire.fetch-consents")).toBe(JSON.stringify([`POST ${location.origin}`]));
  await fetchIn(order);
});

test("a page that asks about each request offers no more than this one", async () => {
  withoutNetwork();
  const refused = expect(fetchIn(order, { ask: "each" })).rejects.toThrow("rule `ask`");
  const dialog = await shown();
  const words = [...dialog.querySelectorAll("button")].map(({ textContent }) => textContent);
  expect(words).toEqual(["Refuse", "Allow once"]);
  await userEvent.click(part(dialog, refuse));
  await refused;
});
