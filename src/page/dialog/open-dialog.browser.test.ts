import { expect, onTestFinished, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { browserTab } from "../browser/browser-tab.ts";
import { hosts, justShown, openShadowRoots, part, shown } from "./dialog.test-helper.ts";
import { dialogShown } from "./dialog.ts";
import { openDialog } from "./open-dialog.ts";
import type { DialogOptions } from "./open-dialog.ts";

openShadowRoots();

const { signal } = new AbortController();
const options: DialogOptions = { title: "One?", message: "", body: [], accept: "Yes", decline: "No", signal };

test("of the questions of two copies of the code in one document, too, one is shown at a time", async () => {
  const address = new URL("open-dialog.ts?copy", import.meta.url).href;
  const copy = (await import(/* @vite-ignore */ address)) as { readonly openDialog: typeof openDialog };
  expect(copy.openDialog).not.toBe(openDialog);
  const first = openDialog(options);
  const second = copy.openDialog({ ...options, title: "Two?" });
  const dialog = await shown();
  expect([hosts().length, part(dialog, "h2").textContent]).toEqual([1, "One?"]);
  await userEvent.click(part(dialog, "button[type=submit]"));
  expect(await first).toBe("accept");
  const next = await shown();
  expect(part(next, "h2").textContent).toBe("Two?");
  next.close();
  expect(await second).toBe("cancel");
});

test("P43: a dialog sends an event to its call's signal when it is shown, and not while it waits for the one before", async () => {
  const told: unknown[] = [];
  const [one, two] = ["One?", "Two?"].map((title) => {
    const aborter = new AbortController();
    aborter.signal.addEventListener(dialogShown, (event) => told.push((event as CustomEvent).detail));
    return openDialog({ ...options, title, signal: aborter.signal });
  });
  const first = await shown();
  expect(told).toEqual([says("One?")]);
  first.close();
  expect(await one).toBe("cancel");
  (await shown()).close();
  expect([await two, told]).toEqual(["cancel", [says("One?"), says("Two?")]]);
});

const says = (title: string) => `The page waits for its user: ${title}`;

test("a dialog is part of its tab's description while it is shown, unless it is a question that the hub knows", async () => {
  const { describe, watch } = browserTab();
  const seen: unknown[] = [];
  const nothing = () => {};
  const changed = () => seen.push(describe().dialog);
  onTestFinished(watch({ changed, suspended: nothing, resumed: nothing, gone: nothing }));
  const asked = openDialog({ ...options, title: "Sign in?", about: "x".repeat(300) });
  (await shown()).close();
  await asked;
  expect(seen.filter((each, at) => each !== seen[at - 1])).toEqual(["x".repeat(200), undefined]);
  const known = new AbortController();
  known.signal.addEventListener(dialogShown, (event) => event.preventDefault());
  const question = openDialog({ ...options, title: "Known?", signal: known.signal });
  const dialog = await shown();
  expect(describe().dialog).toBeUndefined();
  dialog.close();
  await question;
});

/** A field like the git dialog's: it is focused once the dialog accepts answers. */
function secretField(): HTMLInputElement {
  const field = document.createElement("input");
  field.type = "password";
  return field;
}

test("P57: what was typed for the page neither answers a dialog nor lands in its fields, however long it goes on", async () => {
  const field = secretField();
  const asked = openDialog({ ...options, body: [field] });
  const dialog = await justShown();
  for (const key of ["l", "s", "{Enter}", " ", "{Escape}", "{Tab}", "{Enter}"]) {
    await userEvent.keyboard(key);
    // Less than the required pause, which starts again with each key.
    vi.advanceTimersByTime(400);
  }
  expect([dialog.open, field.value, hosts()[0]?.shadowRoot?.activeElement === field]).toEqual([true, "", false]);
  vi.advanceTimersByTime(100);
  expect(hosts()[0]?.shadowRoot?.activeElement).toBe(field);
  await userEvent.keyboard("ok{Enter}");
  expect([await asked, field.value]).toEqual(["accept", "ok"]);
});

test("P57: a click that was on its way when the dialog came up does nothing", async () => {
  const asked = openDialog({ ...options, always: "Always" });
  const dialog = await justShown();
  for (const button of dialog.querySelectorAll("button")) await userEvent.click(button, { force: true });
  expect(dialog.open).toBe(true);
  vi.advanceTimersByTime(500);
  await userEvent.click(part(dialog, "button[type=submit]"));
  expect(await asked).toBe("accept");
});

test("P57: a script's keys do not keep a dialog from being answered, and one that is gone takes no keys any more", async () => {
  const caller = new AbortController();
  const asked = openDialog({ ...options, signal: caller.signal });
  await justShown();
  vi.advanceTimersByTime(300);
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true }));
  vi.advanceTimersByTime(200);
  expect(hosts()[0]?.hasAttribute("ready")).toBe(true);
  caller.abort();
  expect(await asked).toBe("cancel");
  const left = new AbortController();
  const early = openDialog({ ...options, signal: left.signal });
  await justShown();
  left.abort();
  await early;
  const heard = vi.fn<(event: KeyboardEvent) => void>();
  addEventListener("keydown", heard);
  await userEvent.keyboard("a");
  removeEventListener("keydown", heard);
  expect(heard.mock.calls[0]?.[0].defaultPrevented).toBe(false);
});

test("what cannot be seen is written out in a dialog's words", async () => {
  const asked = openDialog({ ...options, title: "Pay\u202e?", message: "a\u200bb\nc" });
  const dialog = await shown();
  expect([part(dialog, "h2").textContent, part(dialog, "p").textContent]).toEqual(["Pay⟨U+202E⟩?", "a⟨U+200B⟩b\nc"]);
  dialog.close();
  await asked;
});

test("a dialog that was answered elsewhere closes and says so for a moment, and any other says nothing", async () => {
  const aborter = new AbortController();
  const asked = openDialog({ ...options, signal: aborter.signal });
  await shown();
  aborter.abort("Allowed in the console.\u202e");
  expect([await asked, hosts()]).toEqual(["cancel", []]);
  const notes = () => [...document.querySelectorAll("pagewire-note")].map((note) => note.shadowRoot?.textContent);
  expect(notes()).toEqual(["Allowed in the console.⟨U+202E⟩"]);
  vi.advanceTimersByTime(10_000);
  expect(notes()).toEqual([]);
  const plain = new AbortController();
  const other = openDialog({ ...options, signal: plain.signal });
  await shown();
  plain.abort();
  expect([await other, notes()]).toEqual(["cancel", []]);
});
