// Keeps the document's tools in sync with its forms that have the tool attributes. Forms in shadow trees are ignored.
import { documentTools, isToolName } from "../document-tools.ts";
import type { DocumentTool } from "../document-tools.ts";
import { failure } from "../failure.ts";
import { tellNeighbours } from "../page-windows.ts";
import { formSchema } from "./form-schema.ts";
import { messageOf } from "../../../wire/index.ts";
import { getParts } from "../parts.ts";

type FormCalls = typeof import("./form-call.ts");

let loading: Promise<FormCalls> | undefined;
let loaded: FormCalls | undefined;

async function loadFormCalls(): Promise<FormCalls> {
  try {
    loading ??= getParts().formCall();
    return (loaded = await loading);
  } catch (error) {
    loading = undefined;
    throw failure("UnknownError", `The form part could not be loaded: ${messageOf(error)}`, error);
  }
}

function endFormCall(form: HTMLFormElement, reason: string): void {
  loaded?.endFormCall(form, reason);
}

/** Everything that a form's tool depends on: attributes, and the texts of labels and options. */
const observed: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributeFilter: [
    ...["toolname", "tooldescription", "tooltitle", "toolautosubmit", "toolparamdescription", "aria-description"],
    ...["name", "type", "form", "for", "id", "value", "multiple", "label"],
    ...["required", "disabled", "readonly", "min", "max", "step", "pattern"],
  ],
};

interface FormTool extends DocumentTool {
  readonly definition: string;
}

const wasChanged = "The form was changed or removed during the call.";

const formTools = new Map<HTMLFormElement, FormTool>();
let observer: MutationObserver | undefined;

/** Makes the document's forms tools from now on. */
export function watchForms(): void {
  observer = new MutationObserver(offerForms);
  observer.observe(document, observed);
  offerForms();
}

/** Applies the page's latest changes to its forms synchronously. */
export function refreshForms(): void {
  if (observer?.takeRecords().length) offerForms();
}

/** Adds the current forms to the document's tools, if their names are free. */
export function offerForms(): void {
  const offered = new Map<HTMLFormElement, FormTool>();
  for (const form of document.forms) {
    const tool = formTool(form);
    if (tool) offered.set(form, tool);
  }
  for (const [form, { name, definition }] of formTools) {
    if (offered.get(form)?.definition === definition) continue;
    formTools.delete(form);
    documentTools.delete(name);
    endFormCall(form, wasChanged);
    tellNeighbours();
  }
  for (const [form, tool] of offered) {
    if (formTools.has(form) || documentTools.has(tool.name)) continue;
    formTools.set(form, tool);
    // Preloaded, so that the first call need not wait. If it fails, that call retries, and reports the error.
    loadFormCalls().catch(() => {});
    documentTools.set(tool.name, tool);
    tellNeighbours();
  }
}

function formTool(form: HTMLFormElement): FormTool | undefined {
  const [name, description, title] = ["toolname", "tooldescription", "tooltitle"].map((each) =>
    form.getAttribute(each),
  );
  if (name == null || description == null || !isToolName(name)) return undefined;
  const schema = JSON.stringify(formSchema(form));
  const described = { name, title: title ?? "", description, schema, annotations: undefined };
  const definition = JSON.stringify([described, form.hasAttribute("toolautosubmit")]);
  return {
    ...described,
    definition,
    async run(input, call) {
      const { callForm } = await loadFormCalls();
      call.signal.throwIfAborted();
      if (formTools.get(form)?.definition !== definition) throw failure("UnknownError", wasChanged);
      return callForm(form, input, call);
    },
  };
}
