// Keeps the document's tools in step with its forms that have the attributes for it. Forms in shadow trees are not seen.
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
    throw failure("UnknownError", `What fills forms could not be loaded: ${messageOf(error)}`, error);
  }
}

/** Ends the call that a form has, if it has one. */
function endFormCall(form: HTMLFormElement, reason: string): void {
  loaded?.endFormCall(form, reason);
}

/** All that a form's tool is made of: attributes, and the texts of labels and options. */
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

const wasChanged = "The form was changed or taken away during the call.";

const formTools = new Map<HTMLFormElement, FormTool>();
let observer: MutationObserver | undefined;

/** From now on the document's forms are tools. */
export function watchForms(): void {
  observer = new MutationObserver(offerForms);
  observer.observe(document, observed);
  offerForms();
}

/** Takes in at once what the page did to its forms in this very moment. */
export function refreshForms(): void {
  if (observer?.takeRecords().length) offerForms();
}

/** Puts the forms that there are now among the document's tools, as far as their names are free. */
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
    // Preloaded, so that the first call need not wait. That call tries again after a failure, and reports it.
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
  const told = { name, title: title ?? "", description, schema, annotations: undefined };
  const definition = JSON.stringify([told, form.hasAttribute("toolautosubmit")]);
  return {
    ...told,
    definition,
    async run(input, call) {
      const { callForm } = await loadFormCalls();
      call.signal.throwIfAborted();
      if (formTools.get(form)?.definition !== definition) throw failure("UnknownError", wasChanged);
      return callForm(form, input, call);
    },
  };
}
