import { expect, onTestFinished, test } from "vitest";
import { contextOf, drawn, ending, formTool, newName, put } from "../polyfill.test-helper.ts";

interface Filled {
  /** The form's contents when it was submitted, or the error of the call. */
  readonly answer: unknown;
  readonly events: string;
}

/** Fills a form that submits itself, and returns its contents. */
async function fill(fields: string, input: object, attributes = ""): Promise<Filled> {
  const name = newName();
  const [form] = put(
    `<form toolname="${name}" tooldescription="d" toolautosubmit ${attributes}>${fields}</form>`,
  ).children;
  const tool = await formTool(name);
  const heard: string[] = [];
  for (const type of ["input", "change", "click", "focus", "keydown", "reset"]) {
    form?.addEventListener(
      type,
      (event) => {
        const { id, name: field } = event.target as HTMLInputElement;
        heard.push(`${type} ${id || field}`);
      },
      true,
    );
  }
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = [...new FormData(form as HTMLFormElement)].map(([field, value]) => `${field}=${value as string}`);
    const answer = JSON.stringify(values);
    (event as unknown as { respondWith(answer: unknown): void }).respondWith(answer);
  });
  const answer = await ending(contextOf().executeTool(tool, input));
  form?.remove();
  return { answer: typeof answer === "string" ? JSON.parse(answer) : answer, events: heard.join(", ") };
}

const refused = { error: "UnknownError" };
const both = "input a, change a";

test("fields are filled in the order of the input, with events; other fields do not change", async () => {
  expect(await fill("<input name=a><textarea name=b>x</textarea><input name=c value=z>", { b: "B", a: "A" })).toEqual({
    answer: ["a=A", "b=B", "c=z"],
    events: "input b, change b, input a, change a",
  });
  expect(await fill("<input name=a value=x>", { a: "x" })).toEqual({ answer: ["a=x"], events: "" });
  expect(await fill("<input name=a value=x>", {})).toEqual({ answer: ["a=x"], events: "" });
});

test("the events are as a browser's: only input leaves a shadow tree, and neither can be prevented", async () => {
  const name = newName();
  const [form] = put(`<form toolname="${name}" tooldescription="d" toolautosubmit><input name=a></form>`).children;
  const kinds: unknown[] = [];
  const listener = ({ type, bubbles, composed, cancelable }: Event) =>
    kinds.push([type, bubbles, composed, cancelable]);
  for (const type of ["input", "change"]) form?.addEventListener(type, listener);
  form?.addEventListener("submit", (event) => event.preventDefault());
  await ending(contextOf().executeTool(await formTool(name), { a: "x" }));
  expect(kinds).toEqual([
    ["input", true, true, false],
    ["change", true, false, false],
  ]);
});

test.each<[field: string, value: unknown, filled: { answer: string[]; events?: string }]>([
  ["<input name=a>", 5, { answer: ["a=5"] }],
  ["<input name=a>", true, { answer: ["a=true"] }],
  ["<input name=a value=x>", "", { answer: ["a="] }],
  ["<input name=a>", "two\nlines", { answer: ["a=twolines"] }],
  ["<input name=a maxlength=2>", "abcdef", { answer: ["a=abcdef"] }],
  ["<textarea name=a></textarea>", "two\r\nlines", { answer: ["a=two\nlines"] }],
  ["<input name=a type=number>", 5, { answer: ["a=5"] }],
  ["<input name=a type=number>", "5", { answer: ["a=5"] }],
  ["<input name=a type=range>", 500, { answer: ["a=100"] }],
  ["<input name=a type=range>", "abc", { answer: ["a=50"], events: "" }],
  ["<input name=a type=date>", "2020-01-02", { answer: ["a=2020-01-02"] }],
  ["<input name=a type=date value=2020-02-02>", "", { answer: ["a="] }],
  ["<input name=a type=month>", "2020-05", { answer: ["a=2020-05"] }],
  ["<input name=a type=week>", "2020-W05", { answer: ["a=2020-W05"] }],
  ["<input name=a type=time>", "10:00", { answer: ["a=10:00"] }],
  ["<input name=a type=datetime-local>", "2020-05-01T10:00", { answer: ["a=2020-05-01T10:00"] }],
  ["<input name=a type=color>", "#AABBCC", { answer: ["a=#aabbcc"] }],
  ["<input name=a type=checkbox>", true, { answer: ["a=on"] }],
  ["<input name=a type=checkbox>", "TRUE", { answer: ["a=on"] }],
  ["<input name=a type=checkbox>", 1, { answer: ["a=on"] }],
  ["<input name=a type=checkbox>", false, { answer: [], events: "change a" }],
  ["<input name=a type=checkbox checked>", true, { answer: ["a=on"], events: "change a" }],
  ["<input name=a type=checkbox checked>", 0, { answer: [] }],
  ["<select name=a><option value=x>X<option value=y>Y</select>", "y", { answer: ["a=y"] }],
  ["<select name=a><option value=x>X<option value=1>Y</select>", 1, { answer: ["a=1"] }],
  ["<select name=a><option value=x>X</select>", "x", { answer: ["a=x"], events: "" }],
  ["<select name=a><option value=x>X<option value=d disabled>D</select>", "d", { answer: [] }],
  ["<select name=a multiple><option selected>x<option>y<option>1</select>", ["y", 1], { answer: ["a=y", "a=1"] }],
  ["<select name=a multiple><option selected>x<option>y</select>", ["x"], { answer: ["a=x"], events: "" }],
  ["<select name=a multiple><option selected>x</select>", [], { answer: [] }],
  ["<select name=a multiple><option>true</select>", [true], { answer: ["a=true"] }],
])("%s with %j", async (field, value, filled) => {
  expect(await fill(field, { a: value })).toEqual({ events: both, ...filled });
});

test("each changed radio button or checkbox dispatches its events", async () => {
  const radios = "<input id=x type=radio name=a value=x checked><input id=y type=radio name=a value=y>";
  expect(await fill(radios, { a: "y" })).toEqual({ answer: ["a=y"], events: "input y, change y" });
  expect(await fill(radios, { a: "x" })).toEqual({ answer: ["a=x"], events: "change x" });
  const checks = "<input id=x type=checkbox name=a value=x checked><input id=y type=checkbox name=a value=y>";
  const events = "input x, change x, input y, change y";
  expect(await fill(checks, { a: ["y"] })).toEqual({ answer: ["a=y"], events });
  expect(await fill(checks, { a: [] })).toEqual({ answer: [], events: "input x, change x, change y" });
});

test.each<[field: string, value: unknown]>([
  ["<input name=a>", null],
  ["<input name=a>", ["x"]],
  ["<input name=a>", { x: 1 }],
  ["<input name=a type=number>", "abc"],
  ["<input name=a type=number>", " 5 "],
  ["<input name=a type=number>", ""],
  ["<input name=a type=number>", true],
  ["<input name=a type=date>", "01/02/2020"],
  ["<input name=a type=date>", "2020-1-2"],
  ["<input name=a type=checkbox>", "on"],
  ["<input name=a type=checkbox>", ""],
  ["<input name=a type=checkbox>", ["on"]],
  ["<input name=a type=radio value=x>", "z"],
  ["<input name=a type=checkbox value=x><input name=a type=checkbox value=y>", "x"],
  ["<input name=a type=checkbox value=x><input name=a type=checkbox value=null>", [null]],
  ["<input name=a type=checkbox value=x><input name=a type=checkbox value=y>", ["x", "z"]],
  ["<select name=a><option value=y>Y</select>", "Y"],
  ["<select name=a><option>y</select>", ["y"]],
  ["<select name=a multiple><option>y</select>", "y"],
  ["<select name=a multiple><option>y</select>", ["y", "z"]],
  ["<input name=a type=hidden>", "y"],
  ["<input name=a type=file>", "y"],
  ["<input name=a disabled>", "y"],
  ["<input name=a readonly>", "y"],
  ["<input name=a><input name=a>", "y"],
  ["<input name=b>", "y"],
])("%s does not take %j, and then nothing of the form is filled", async (field, value) => {
  expect(await fill(`<input name=first>${field}`, { first: "x", a: value })).toEqual({ answer: refused, events: "" });
});

test("a list is no input for a form", async () => {
  expect(await fill("<input name=a>", [1])).toEqual({ answer: refused, events: "" });
});

test.each<[field: string, value: unknown]>([
  ["<input name=a required>", ""],
  ["<input name=a type=number>", 1.5],
  ["<input name=a type=number min=5>", 3],
  ["<input name=a type=email>", "nomail"],
  ["<input name=a pattern=x>", "y"],
  ["<input name=a type=time>", "10:00:30"],
])("a form that submits itself must be valid: %s with %j, unless it has novalidate", async (field, value) => {
  expect((await fill(field, { a: value })).answer).toEqual(refused);
  expect((await fill(field, { a: value }, "novalidate")).answer).toEqual([`a=${value as string}`]);
});

test("the error names the fields and has the browser's messages", async () => {
  const name = newName();
  put(`<form toolname="${name}" tooldescription="d" toolautosubmit><input name=a required><input name=b></form>`);
  const tool = await formTool(name);
  const input = document.querySelector<HTMLInputElement>("[name=b]");
  input?.setCustomValidity("Not you!");
  const error = (await contextOf()
    .executeTool(tool)
    .catch((thrown: unknown) => thrown)) as Error;
  expect(error.message).toMatch(/^Form validation failed: a: .+ b: Not you!/);
});

test("what a framework put on an element does not hide a value from it", async () => {
  const name = newName();
  const [form] = put(`<form toolname="${name}" tooldescription="d"><input name=a><button>Go</button></form>`).children;
  const input = form?.querySelector("input") as HTMLInputElement;
  const tracked: string[] = [];
  // Like React, which then ignores the event for a value that it already has.
  const property = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  const set = (value: string) => {
    tracked.push(value);
    property?.set?.call(input, value);
  };
  Object.defineProperty(input, "value", { ...property, set });
  const caller = new AbortController();
  onTestFinished(() => caller.abort());
  const tool = await formTool(name);
  void ending(contextOf().executeTool(tool, { a: "x" }, { signal: caller.signal }));
  await new Promise((resolve) => input.addEventListener("change", resolve));
  expect([input.value, tracked]).toEqual(["x", []]);
  await drawn();
});
