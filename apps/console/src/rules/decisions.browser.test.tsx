import { render } from "preact";
import { afterEach, expect, test, vi } from "vitest";
import type { Session } from "../../../common/src/session/session.ts";
import { Decisions, Pins } from "./decisions.tsx";

afterEach(() => render(null, document.body));

/** Shows the view to a user whose hub answers so. */
function show(View: typeof Pins, answer: unknown) {
  const request = vi.fn<Session["request"]>(async (method) => (method === "GET" ? answer : undefined));
  render(<View session={{ request } as unknown as Session} />, document.body);
  return request;
}

async function press(name: string): Promise<void> {
  const find = () => [...document.querySelectorAll("button")].find((each) => each.textContent?.includes(name));
  await expect.poll(find).toBeDefined();
  find()?.click();
}

const pin = { origin: "https://bank.example", app: "bank", via: "tab", name: "pay" };

test("of a changed tool the fields that differ are shown, old beside new, and hidden characters with them", async () => {
  const before = JSON.stringify({ name: "pay", description: "Pays a bill.", inputSchema: { type: "object" } });
  const definition = JSON.stringify({ name: "pay", description: "Pays \u202Eall.", inputSchema: { type: "object" } });
  const request = show(Pins, { pins: [pin], waiting: [{ ...pin, definition, before }], more: 0 });
  await expect.poll(() => document.querySelector("del")?.textContent).toBe("Pays a bill.");
  expect([...document.querySelectorAll("ins")].map((each) => each.textContent)).toEqual(["Pays ⟨U+202E⟩all."]);
  await press("Accept as it is now");
  await expect
    .poll(() => request.mock.calls)
    .toContainEqual(["POST", "/api/pins/accept", { origin: "https://bank.example", name: "pay" }]);
});

test("a decision is taken back, and one about a tool of the hub itself says so", async () => {
  const consents = [
    { key: "a/b", tool: "pay", origin: "https://bank.example", approved: true },
    { key: "c", tool: "search", origin: "", approved: false },
  ];
  const request = show(Decisions, { consents });
  await expect.poll(() => document.body.textContent).toContain("of the hub itself");
  expect([...document.querySelectorAll(".badge")].map((each) => each.textContent)).toEqual(["allowed", "refused"]);
  await press("pay of https://bank.example");
  await expect.poll(() => request.mock.calls).toContainEqual(["DELETE", "/api/consents/a%2Fb"]);
});

test("a hub that does not answer is said so, with a way to try again", async () => {
  const request = vi.fn<Session["request"]>(async () => Promise.reject(new Error("It is away.")));
  render(<Pins session={{ request } as unknown as Session} />, document.body);
  await expect.poll(() => document.body.textContent).toContain("It is away.");
  await press("Try again");
  await expect.poll(() => request.mock.calls.length).toBe(2);
});
