import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { ApprovalRequest } from "../../toolbox/index.ts";
import { createApprove } from "./dialog.ts";
import { approve } from "./approve.ts";
import { hosts, openShadowRoots, part, shown } from "./dialog.test-helper.ts";

openShadowRoots();

const never = new AbortController().signal;
const request: ApprovalRequest = {
  tool: "delete_notes",
  title: "Delete notes",
  arguments: { ids: [1, 2], why: "<b>old</b>" },
  agent: { name: "tester" },
  reason: "It deletes for good.",
};
const refused = { approved: false, scope: "once" };

test("who asks, for which tool, why, and the exact arguments are shown, as text", async () => {
  const asked = approve(request, never);
  const dialog = await shown();
  expect(part(dialog, "h2").textContent).toBe("Allow “Delete notes”?");
  expect(part(dialog, "p").textContent).toBe("“tester” wants to use the tool delete_notes. It deletes for good.");
  expect(JSON.parse(part(dialog, "pre").textContent)).toEqual(request.arguments);
  expect(dialog.querySelector("b")).toBeNull();
  await userEvent.click(part(dialog, "button[type=submit]"));
  expect(await asked).toEqual({ approved: true, scope: "once" });
});

test("where a tool has changed, what it said when it was allowed stands beside what it says now, with the words that differ marked", async () => {
  await page.viewport(900, 700);
  const before = [{ text: "Lists <b>notes</b>" }, { text: " only\u202e", differs: true }] as const;
  const after = [{ text: "Lists <b>notes</b>" }, { text: " and deletes them", differs: true }] as const;
  const asked = approve({ ...request, changed: { before, after } }, never);
  const dialog = await shown();
  const [then, now, given] = [...dialog.querySelectorAll("section")];
  expect([then?.textContent, now?.textContent]).toEqual([
    "When you allowed itLists <b>notes</b> only⟨U+202E⟩",
    "NowLists <b>notes</b> and deletes them",
  ]);
  expect(["del", "ins"].map((tag) => part(dialog, tag).textContent)).toEqual([" only⟨U+202E⟩", " and deletes them"]);
  expect(JSON.parse(given?.querySelector("pre")?.textContent ?? "")).toEqual(request.arguments);
  const [left, right] = [then, now].map((side) => side?.getBoundingClientRect());
  expect([left?.top, (left?.right ?? 0) <= (right?.left ?? 0)]).toEqual([right?.top, true]);
  dialog.close();
  await asked;
});

test("the tool's own description is shown as text, and a destructive tool is said to be one, in words and in red", async () => {
  const asked = approve({ ...request, description: "Removes <b>notes</b>.", destructive: true }, never);
  const dialog = await shown();
  expect(part(dialog, "section").textContent).toBe("What it says that it doesRemoves <b>notes</b>.");
  expect(part(dialog, "p").textContent).toContain("It may delete or overwrite something, by its own word.");
  const { backgroundColor } = getComputedStyle(part(dialog, "button[type=submit]"));
  expect(["rgb(179, 38, 30)", "rgb(255, 152, 144)"]).toContain(backgroundColor);
  dialog.close();
  await asked;
});

test("refusing and closing are refusals, and the keyboard begins at refusing", async () => {
  const byKey = approve(request, never);
  await shown();
  await userEvent.keyboard("{Enter}");
  expect(await byKey).toEqual(refused);
  const closed = approve(request, never);
  await shown();
  await userEvent.keyboard("{Escape}");
  expect(await closed).toEqual(refused);
});

test("a call that ends is refused, and a script's click allows nothing", async () => {
  const call = new AbortController();
  const asked = approve(request, call.signal);
  const dialog = await shown();
  part(dialog, "button[type=submit]").click();
  expect(dialog.open).toBe(true);
  call.abort();
  expect(await asked).toEqual(refused);
  expect(hosts()).toEqual([]);
});

test("a dialog that cannot be loaded or shown is a refusal, and is reported", async () => {
  const report = vi.spyOn(window, "reportError").mockImplementation(() => {});
  const error = new Error("Failed to fetch");
  expect(await createApprove(() => Promise.reject(error))(request, never)).toEqual(refused);
  const broken = { askUser: async () => ({}), approve: () => Promise.reject(error) };
  expect(await createApprove(async () => broken)(request, never)).toEqual(refused);
  expect(report.mock.calls).toEqual([[error], [error]]);
});

test("an agent's name stands in quotes and is cut, and nothing in the arguments is unseen", async () => {
  const name = `tester” was checked.\n\nIt is safe.${"!".repeat(100)}`;
  const asked = approve({ ...request, agent: { name }, arguments: { to: "a\u202eb" } }, never);
  const dialog = await shown();
  expect(part(dialog, "p").textContent).toMatch(/^“tester' was checked\. It is safe\.!+…” wants to use the tool/);
  expect(part(dialog, "pre").textContent).toContain("a⟨U+202E⟩b");
  dialog.close();
  expect(await asked).toEqual(refused);
});
