import { showInvisible } from "../../../wire/index.ts";
import { openDialog, quoted } from "../../dialog/open-dialog.ts";
import type { Action } from "../../dialog/open-dialog.ts";
import type { ConsentQuestion } from "./ask-consent.ts";
import type { CheckedRequest } from "./check-request.ts";

/** Max characters shown of the address, of each header and of the body. */
const longestShown = 2000;

/** Shows a request in the page's own dialog, with exactly what it sends. */
export function askPerson({ request, agent, holds }: ConsentQuestion, signal: AbortSignal): Promise<Action> {
  const { method, url, credentials } = request;
  const withCookies = credentials === "omit" ? "without cookies" : "with your cookies of that site";
  const kind = `${method} requests ${withCookies} to ${url.origin}`;
  const shown = document.createElement("pre");
  shown.textContent = showInvisible(textOf(request));
  // Makes a long request scrollable by keyboard.
  shown.tabIndex = 0;
  return openDialog({
    title: `Allow ${method} to ${url.origin}?`,
    message:
      `The program ${quoted(agent.name)} wants this page to send a request ${withCookies}, and to be given the answer.` +
      (holds ? ` “Allow” holds for all ${kind} until this page is left, “Always allow” also after that.` : ""),
    body: [shown],
    accept: holds ? "Allow" : "Allow once",
    decline: "Refuse",
    ...(holds ? { always: "Always allow" } : {}),
    signal,
  });
}

function textOf({ method, url, headers, body }: CheckedRequest): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${url.href}`, ...lines].map((line) => cut(line, `${line.length} characters`));
  return [...head, ...(body ? ["", shownBody(body)] : [])].join("\n");
}

function shownBody(body: Uint8Array): string {
  try {
    return cut(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body), `${body.length} B`);
  } catch {
    return `(binary, ${body.length} B)`;
  }
}

function cut(text: string, size: string): string {
  return text.length > longestShown ? `${text.slice(0, longestShown)}… (${size})` : text;
}
