// The code for form calls is loaded when there is a form. A browser with built-in support must behave in the same way.
import { expect, inject, test } from "vitest";
import { setParts } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { contextOf, drawn, ending, formTool, newName, next, put } from "../polyfill.test-helper.ts";

const isNative = inject("native");

/** The outcome of a form's call, and its error message. */
async function outcome(form: string): Promise<unknown> {
  const tool = await formTool(form);
  const call = contextOf().executeTool(tool);
  return ending(call.catch(({ name, message }: Error) => Promise.reject(`${name}: ${message}`)));
}

function putForm(attributes = ""): { readonly name: string; readonly form: Element | null } {
  const name = newName();
  const holder = put(`<form toolname="${name}" tooldescription="d" ${attributes}><button>Go</button></form>`);
  const form = holder.firstElementChild;
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    (event as unknown as { respondWith(answer: unknown): void }).respondWith("done");
  });
  return { name, form };
}

function useFormCall(formCall: Parts["formCall"]): void {
  setParts({ formCall, validator: () => Promise.reject(new Error("not needed")) });
}

test("if it cannot be loaded a call fails with that reason, and the next one tries again", async () => {
  useFormCall(() => Promise.reject(new Error("offline")));
  const { name } = putForm("toolautosubmit");
  const failed = { rejected: "UnknownError: The form part could not be loaded: offline" };
  expect(await outcome(name)).toEqual(isNative ? "done" : failed);
  let open = () => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  useFormCall(() => gate.then(() => import("./form-call.ts")));
  const late = outcome(name);
  open();
  expect(await late).toBe("done");
});

test("a form that goes before its call began ends it", async () => {
  const { name, form } = putForm();
  const tool = await formTool(name);
  const ended = ending(contextOf().executeTool(tool));
  form?.remove();
  expect(await ended).toEqual({ error: "UnknownError" });
  await drawn();
  const another = putForm("toolautosubmit");
  const activated = next("toolactivated");
  expect(await outcome(another.name)).toBe("done");
  await activated;
});
