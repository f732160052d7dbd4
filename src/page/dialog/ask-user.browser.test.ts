import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import type { Json, JsonObject } from "../../wire/index.ts";
import { askUser } from "./ask-user.ts";
import { hosts, openShadowRoots, part, shown } from "./dialog.test-helper.ts";

openShadowRoots();

const never = new AbortController().signal;
const send = "button[type=submit]";
const decline = "button[type=button]";

/** A question for the given fields. */
function ask(properties: JsonObject, required: readonly string[] = []) {
  const requestedSchema: JsonObject = { type: "object", properties, required };
  return askUser({ message: "Which goal?", requestedSchema }, never);
}

test("P43: a question is shown in its words, and what is filled in is the answer", async () => {
  const asked = ask({ goal: { type: "string", title: "Goal", description: "For this week." } });
  const dialog = await shown();
  expect(dialog.textContent).toContain("Which goal?");
  expect(part(dialog, "label").textContent).toBe("GoalFor this week.");
  await userEvent.fill(part(dialog, "input"), "more tea");
  await userEvent.click(part(dialog, send));
  expect(await asked).toEqual({ action: "accept", content: { goal: "more tea" } });
  expect(hosts()).toEqual([]);
});

test("P43: hidden characters in the words of fields and choices are shown", async () => {
  void ask({ goal: { title: "Go\u202eal", description: "For\u200b you.", enum: ["t\u202eea"] } });
  expect(part(await shown(), "label").textContent).toBe("Go⟨U+202E⟩alFor⟨U+200B⟩ you.t⟨U+202E⟩ea");
});

test("P43: declining and closing are answers of their own, without content", async () => {
  const declined = ask({ goal: { type: "string" } });
  await userEvent.click(part(await shown(), decline));
  expect(await declined).toEqual({ action: "decline" });
  const closed = ask({ goal: { type: "string" } });
  await shown();
  await userEvent.keyboard("{Escape}");
  expect(await closed).toEqual({ action: "cancel" });
});

test("P43: a question without fields has only its buttons", async () => {
  const asked = askUser({ message: "Go on?" }, never);
  const dialog = await shown();
  expect(dialog.querySelectorAll("input, select")).toHaveLength(0);
  await userEvent.click(part(dialog, send));
  expect(await asked).toEqual({ action: "accept", content: {} });
});

test("P43: the dialog is answered by keyboard alone, beginning in its first field, and gives the focus back", async () => {
  const before = document.createElement("button");
  document.body.append(before);
  before.focus();
  const asked = ask({ goal: { type: "string" }, week: { type: "integer" } });
  const dialog = await shown();
  await userEvent.keyboard("tea{Tab}7{Enter}");
  expect(await asked).toEqual({ action: "accept", content: { goal: "tea", week: 7 } });
  expect(dialog.isConnected).toBe(false);
  expect(document.activeElement).toBe(before);
  before.remove();
});

test("P43: a dialog names itself and its question to who cannot see it", async () => {
  const asked = ask({});
  const dialog = await shown();
  for (const [attribute, text] of [
    ["aria-labelledby", "A question for you"],
    ["aria-describedby", "Which goal?"],
  ] as const) {
    expect(part(dialog, `#${dialog.getAttribute(attribute)}`).textContent).toBe(text);
  }
  expect(dialog.matches(":modal")).toBe(true);
  dialog.close();
  expect(await asked).toEqual({ action: "cancel" });
});

test("P43: a script can fill in, click, submit and send keys, and has not answered", async () => {
  const asked = ask({ goal: { type: "string" } });
  const dialog = await shown();
  const form = part<HTMLFormElement>(dialog, "form");
  const allow = part<HTMLButtonElement>(dialog, send);
  part<HTMLInputElement>(dialog, "input").value = "forged";
  allow.click();
  part(dialog, decline).click();
  allow.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  form.requestSubmit();
  form.requestSubmit(allow);
  form.dispatchEvent(new SubmitEvent("submit", { cancelable: true, submitter: allow }));
  part(dialog, "input").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  expect(dialog.isConnected && dialog.open).toBe(true);
  await userEvent.click(part(dialog, decline));
  expect(await asked).toEqual({ action: "decline" });
});

test("P43: the page's scripts find no way into the dialog unless they were there before it", async () => {
  const { attachShadow } = Element.prototype;
  const modes: string[] = [];
  Element.prototype.attachShadow = function (init) {
    modes.push(init.mode);
    return attachShadow.call(this, init);
  };
  const asked = ask({});
  const dialog = await shown();
  Element.prototype.attachShadow = attachShadow;
  expect(modes).toEqual(["closed"]);
  dialog.close();
  await asked;
});

test("P43: a call that ends closes its dialog, and one that had ended opens none", async () => {
  const call = new AbortController();
  const asked = askUser({ message: "Go on?" }, call.signal);
  await shown();
  call.abort();
  expect(await asked).toEqual({ action: "cancel" });
  expect(await askUser({ message: "Go on?" }, call.signal)).toEqual({ action: "cancel" });
  expect(hosts()).toEqual([]);
});

test("P43: of several questions one is shown at a time, in the order in which they came", async () => {
  const first = askUser({ message: "First?" }, never);
  const second = askUser({ message: "Second?" }, never);
  const dialog = await shown();
  expect([hosts().length, part(dialog, "p").textContent]).toEqual([1, "First?"]);
  await userEvent.click(part(dialog, send));
  await first;
  const next = await shown();
  expect(part(next, "p").textContent).toBe("Second?");
  await userEvent.click(part(next, decline));
  expect(await second).toEqual({ action: "decline" });
});

test("P43: a page that made its body inert can still be asked for an answer", async () => {
  document.body.inert = true;
  const asked = ask({});
  const dialog = await shown();
  document.body.inert = false;
  expect(dialog.closest("body")).toBeNull();
  expect((dialog.getRootNode() as ShadowRoot).host.closest("body")).toBeNull();
  dialog.close();
  await asked;
});

/** Submits the form, optionally after filling in fields, and returns the content of the answer. */
async function contentOf(
  property: JsonObject,
  { fill, isRequired = false }: { fill?: (control: HTMLElement) => Promise<void>; isRequired?: boolean } = {},
): Promise<Json | undefined> {
  const asked = ask({ field: property }, isRequired ? ["field"] : []);
  const dialog = await shown();
  await fill?.(part(dialog, "input, select"));
  await userEvent.click(part(dialog, send));
  if (dialog.open) {
    dialog.close();
    await asked;
    return "invalid";
  }
  const { content } = await asked;
  return (content as JsonObject)["field"];
}

const choose = (title: string) => (control: HTMLElement) => userEvent.selectOptions(control, title);
const type = (text: string) => (control: HTMLElement) => userEvent.fill(control, text);

test("a text is sent as text, left out when it is empty, and kept within its bounds", async () => {
  expect(await contentOf({ type: "string" })).toBeUndefined();
  expect(await contentOf({ type: "string" }, { isRequired: true })).toBe("invalid");
  expect(await contentOf({ type: "string", default: "tea" })).toBe("tea");
  const bounded = { type: "string", minLength: 2, maxLength: 4, pattern: "^t" };
  expect(await contentOf(bounded, { fill: type("tea") })).toBe("tea");
  expect(await contentOf(bounded, { fill: type("t") })).toBe("invalid");
  expect(await contentOf(bounded, { fill: type("tea time") })).toBe("tea ");
  expect(await contentOf(bounded, { fill: type("eat") })).toBe("invalid");
  expect(await contentOf({ type: "string", pattern: "ea" }, { fill: type("tea") })).toBe("tea");
});

test("addresses, dates and times are asked for in their own fields", async () => {
  expect(await contentOf({ type: "string", format: "email" }, { fill: type("ada@example.com") })).toBe(
    "ada@example.com",
  );
  expect(await contentOf({ type: "string", format: "email" }, { fill: type("ada") })).toBe("invalid");
  expect(await contentOf({ type: "string", format: "uri" }, { fill: type("shop://cart") })).toBe("shop://cart");
  expect(await contentOf({ type: "string", format: "uri" }, { fill: type("cart") })).toBe("invalid");
  expect(await contentOf({ type: "string", format: "date" }, { fill: type("2026-11-21") })).toBe("2026-11-21");
  const time = { type: "string", format: "date-time", default: "2026-11-21T10:00:00.000Z" };
  expect(await contentOf(time)).toBe("2026-11-21T10:00:00.000Z");
  expect(await contentOf({ ...time, default: "noon" })).toBeUndefined();
  expect(await contentOf({ type: "string", format: "constructor" }, { fill: type("tea") })).toBe("tea");
});

test("a number is sent as a number, whole where it must be, and kept within its bounds", async () => {
  const bounded = { type: "number", minimum: 1, maximum: 5 };
  expect(await contentOf(bounded)).toBeUndefined();
  expect(await contentOf(bounded, { isRequired: true })).toBe("invalid");
  expect(await contentOf({ ...bounded, default: 2.5 })).toBe(2.5);
  expect(await contentOf(bounded, { fill: type("6") })).toBe("invalid");
  expect(await contentOf({ ...bounded, type: "integer" }, { fill: type("2.5") })).toBe("invalid");
  expect(await contentOf({ ...bounded, type: "integer" }, { fill: type("3") })).toBe(3);
});

test("yes or no is a box to tick", async () => {
  expect(await contentOf({ type: "boolean" })).toBe(false);
  expect(await contentOf({ type: "boolean", default: true })).toBe(true);
  expect(await contentOf({ type: "boolean" }, { fill: (control) => userEvent.click(control) })).toBe(true);
});

test("a choice is known in each of the protocol's forms, and nothing is chosen for the person", async () => {
  const titled = [
    { const: "tea", title: "Tea" },
    { const: "milk", title: "Milk" },
  ];
  const forms: [JsonObject, string][] = [
    [{ type: "string", enum: ["tea", "milk"] }, "milk"],
    [{ type: "string", enum: ["tea", "milk"], enumNames: ["Tea", "Milk"] }, "Milk"],
    [{ type: "string", oneOf: titled }, "Milk"],
    [{ type: "string", anyOf: titled }, "Milk"],
  ];
  for (const [property, title] of forms) {
    expect(await contentOf(property)).toBeUndefined();
    expect(await contentOf(property, { isRequired: true })).toBe("invalid");
    expect(await contentOf(property, { fill: choose(title), isRequired: true })).toBe("milk");
    expect(await contentOf({ ...property, default: "milk" })).toBe("milk");
    expect(await contentOf({ ...property, default: "milk" }, { fill: choose("") })).toBeUndefined();
  }
  expect(await contentOf({ enum: [1, 2] }, { fill: choose("2") })).toBe(2);
});

test("several choices are sent as a list, within its bounds", async () => {
  const many = { type: "array", items: { type: "string", enum: ["tea", "milk", "rice"] } };
  expect(await contentOf(many)).toBeUndefined();
  expect(await contentOf(many, { isRequired: true })).toEqual([]);
  expect(await contentOf({ ...many, default: ["rice"] })).toEqual(["rice"]);
  const pick = (...titles: string[]) => ({
    fill: (control: HTMLElement) => userEvent.selectOptions(control, titles),
  });
  expect(await contentOf(many, pick("tea", "rice"))).toEqual(["tea", "rice"]);
  expect(await contentOf({ ...many, minItems: 2 }, pick("tea"))).toBe("invalid");
  expect(await contentOf({ ...many, maxItems: 1 }, pick("tea", "milk"))).toBe("invalid");
  expect(await contentOf({ ...many, minItems: 1 }, { isRequired: true })).toBe("invalid");
});
