// Loads what calls of forms need when a document has its first form that is a tool: most have none.
import { messageOf } from "../../../wire/index.ts";
import { failure } from "../failure.ts";
import { getParts } from "../parts.ts";

type FormCalls = typeof import("./form-call.ts");

let loading: Promise<FormCalls> | undefined;
let loaded: FormCalls | undefined;

export async function loadFormCalls(): Promise<FormCalls> {
  try {
    loading ??= getParts().formCall();
    return (loaded = await loading);
  } catch (error) {
    loading = undefined;
    throw failure("UnknownError", `What fills forms could not be loaded: ${messageOf(error)}`, error);
  }
}

/** Ends the call that a form has, if it has one. */
export function endFormCall(form: HTMLFormElement, reason: string): void {
  loaded?.endFormCall(form, reason);
}
