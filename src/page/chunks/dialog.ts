// Asks the person in front of the page, in a dialog of its own that the page's styles do not reach.
import type { ApprovalDecision, ApprovalRequest } from "../../toolbox/index.ts";
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { createField } from "../dialog/field.ts";
import type { Field } from "../dialog/field.ts";
import { dialogStyles } from "../dialog/styles.ts";

/** Asks for the fields of an elicitation. Closing the dialog is "cancel". */
export async function askUser(parameters: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const fields = fieldsOf(parameters["requestedSchema"]);
  const message = typeof parameters["message"] === "string" ? parameters["message"] : "The agent has a question.";
  const form = [paragraph(message), ...fields.map((field) => field.element)];
  const action = await openDialog({
    title: "A question for you",
    body: form,
    accept: "Send",
    decline: "Decline",
    signal,
  });
  if (action !== "accept") return { action };
  const content: Record<string, Json> = {};
  for (const field of fields) {
    const value = field.value();
    if (value !== undefined) content[field.name] = value;
  }
  return { action, content };
}

/** Asks to allow one use of a tool, shown with its exact arguments. No answer is a refusal. */
export async function approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
  const shown = document.createElement("pre");
  shown.textContent = JSON.stringify(request.arguments, null, 2);
  shown.tabIndex = 0;
  const title = `Allow “${request.title ?? request.tool}”?`;
  const body = [paragraph(`${request.agent.name} wants to use it. ${request.reason}`), shown];
  const action = await openDialog({ title, body, accept: "Allow once", decline: "Refuse", signal });
  return action === "accept" ? { approved: true, scope: "once" } : { approved: false, scope: "once" };
}

type Action = "accept" | "decline" | "cancel";

interface DialogOptions {
  readonly title: string;
  readonly body: readonly HTMLElement[];
  readonly accept: string;
  readonly decline: string;
  readonly signal: AbortSignal;
}

/** Only one dialog is open at a time; the others wait. */
let last: Promise<unknown> = Promise.resolve();

function openDialog(options: DialogOptions): Promise<Action> {
  const turn = last.then(() => (options.signal.aborted ? "cancel" : showDialog(options)));
  last = turn;
  return turn;
}

function showDialog({ title, body, accept, decline, signal }: DialogOptions): Promise<Action> {
  const host = document.createElement("pagewire-dialog");
  const root = host.attachShadow({ mode: "closed" });
  root.adoptedStyleSheets = [dialogStyles()];
  const dialog = document.createElement("dialog");
  const form = document.createElement("form");
  const heading = document.createElement("h2");
  heading.textContent = title;
  heading.id = "title";
  dialog.setAttribute("aria-labelledby", "title");
  const buttons = document.createElement("footer");
  const refuse = button(decline, "button");
  const allow = button(accept, "submit");
  buttons.append(refuse, allow);
  form.append(heading, ...body, buttons);
  dialog.append(form);
  root.append(dialog);
  document.body.append(host);

  return new Promise((resolve) => {
    const settle = (action: Action) => {
      signal.removeEventListener("abort", abort);
      host.remove();
      resolve(action);
    };
    const abort = () => settle("cancel");
    signal.addEventListener("abort", abort);
    // A script of the page can make events, but not ones that the browser vouches for.
    refuse.addEventListener("click", (event) => event.isTrusted && settle("decline"));
    dialog.addEventListener("cancel", () => settle("cancel"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.isTrusted) settle("accept");
    });
    dialog.showModal();
    (body.map((element) => element.querySelector<HTMLElement>("input, select")).find(Boolean) ?? refuse).focus();
  });
}

function fieldsOf(schema: Json | undefined): readonly Field[] {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(schema["properties"]).map(([name, property]) =>
    createField(name, isJsonObject(property) ? property : {}, required.includes(name)),
  );
}

function paragraph(text: string): HTMLParagraphElement {
  const element = document.createElement("p");
  element.textContent = text;
  return element;
}

function button(text: string, type: "button" | "submit"): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = type;
  element.textContent = text;
  return element;
}
