import { expect, inject, onTestFinished, test } from "vitest";
import { contextOf, drawn, ending, formTool, newName, next, put, register } from "../polyfill.test-helper.ts";

const isNative = inject("native");

const listed = async (...names: readonly string[]) =>
  (await contextOf().getTools()).filter(({ name }) => names.includes(name)).map(({ name }) => name);

/** A form in the document that is listed as a tool with this name. */
async function putForm(name: string, inside = "", attributes = ""): Promise<HTMLFormElement> {
  const [form] = put(`<form toolname="${name}" tooldescription="d" ${attributes}>${inside}</form>`).children;
  await formTool(name);
  return form as HTMLFormElement;
}

/** Runs a function after all pending changes, and resolves at the next change of tools. */
async function changedBy(act: () => void): Promise<void> {
  await drawn();
  const changed = next("toolchange");
  act();
  await changed;
  await drawn();
}

test("a form with a name and a description is a tool, with a title where it has one", async () => {
  const [titled, plain] = [newName(), newName()];
  await putForm(titled, "", "tooltitle=T title=no");
  put(`<form TOOLNAME="${plain}" tooldescription="" hidden></form>`);
  const tool = await formTool(titled);
  expect([tool.title, tool.description, tool.window === window, tool.origin]).toEqual(["T", "d", true, origin]);
  expect(await formTool(plain)).toMatchObject({ title: "", description: "" });
});

test("what lacks one of them, has no tool's name, or is no form of the document, is none", async () => {
  const name = newName();
  put(`<form toolname="${name}"></form><form tooldescription="d"></form><form toolname="a b" tooldescription="d"></form>
    <form toolname="" tooldescription="d"></form><div toolname="${name}" tooldescription="d"></div>
    <template><form toolname="${name}" tooldescription="d"></form></template>`);
  await putForm(newName());
  expect(await listed(name, "", "a b")).toEqual([]);
});

test("forms come and go, and what changes of them is another tool; each is a toolchange", async () => {
  const [name, other] = [newName(), newName()];
  const form = await putForm(name, "<input name=a>");
  await changedBy(() => form.setAttribute("toolname", other));
  expect(await listed(name, other)).toEqual([other]);
  await changedBy(() => form.setAttribute("tooldescription", "new"));
  expect(await formTool(other)).toMatchObject({ description: "new" });
  await changedBy(() => form.insertAdjacentHTML("beforeend", "<input name=b>"));
  await changedBy(() => form.querySelector("input")?.setAttribute("required", ""));
  expect((await formTool(other)).inputSchema).toMatchObject({ properties: { b: {} }, required: ["a"] });
  await changedBy(() => form.querySelectorAll("input").forEach((input) => (input.disabled = true)));
  expect((await formTool(other)).inputSchema).toMatchObject({ properties: {}, required: [] });
  await changedBy(() => form.remove());
  expect(await listed(other)).toEqual([]);
});

test("the tool of a removed form is removed at once", async () => {
  const name = newName();
  const form = await putForm(name);
  const tool = await formTool(name);
  form.remove();
  expect(await listed(name)).toEqual([]);
  expect(await ending(contextOf().executeTool(tool))).toEqual({ error: "UnknownError" });
});

test("a change of a form that does not show in its tool has no effect", async () => {
  const form = await putForm(newName(), "<input name=a>");
  await drawn();
  let changes = 0;
  contextOf().ontoolchange = () => (changes += 1);
  onTestFinished(() => void (contextOf().ontoolchange = null));
  form.className = "x";
  form.append("text", document.createElement("p"));
  const [input] = form.querySelectorAll("input");
  if (input) Object.assign(input, { value: "v", placeholder: "p", className: "c" });
  input?.setAttribute("value", "w");
  put("<p>text</p>");
  await drawn();
  expect(changes).toBe(0);
});

test("the first of two forms with a name is the tool, and scripts' tools have their names to themselves", async () => {
  const name = newName();
  put(
    `<form toolname="${name}" tooldescription="first"></form><form toolname="${name}" tooldescription="second"></form>`,
  );
  expect(await formTool(name)).toMatchObject({ description: "first" });
  const again = contextOf().registerTool({ name, description: "d", execute: () => "" });
  expect(await ending(again)).toEqual({ error: "InvalidStateError" });
  const { tool } = await register();
  put(`<form toolname="${tool.name}" tooldescription="form"></form>`);
  await putForm(newName());
  expect(await formTool(tool.name)).toMatchObject({ description: "d" });
});

test("a form gets its name when the earlier one is removed, and new choices are noticed; Chromium 156 misses both", async () => {
  const name = newName();
  const [first] = put(`<form toolname="${name}" tooldescription="first"></form>
    <form toolname="${name}" tooldescription="second"><select name=s></select></form>`).children;
  await formTool(name);
  first?.remove();
  await drawn();
  expect(await listed(name)).toEqual(isNative ? [] : [name]);
  document.querySelector("select")?.append(new Option("o"));
  await drawn();
  const [tool] = (await contextOf().getTools()).filter((known) => known.name === name);
  expect(JSON.stringify(tool?.inputSchema)?.includes('"o"')).toBe(isNative ? undefined : true);
});
