import { showInvisible } from "../../wire/index.ts";
import { html } from "../dom/dom.ts";
import type { Arming } from "../dom/arming.ts";
import type { Choice } from "../model/choices.ts";
import { readableText, titleText } from "../model/readable-text.ts";
import type { AiToolDecision } from "../../element/index.ts";
import type { ApprovalRequest, TextPiece, ToolChange } from "../../toolbox/index.ts";

export interface ApprovalCardOptions {
  readonly request: ApprovalRequest;
  readonly title: string;
  readonly origin: string | undefined;
  readonly choices: readonly Choice[];
  readonly arming: Arming;
  readonly onDecide: (decision: AiToolDecision) => void;
  /** Asks in a window that nothing can cover. Set for a framed window, which has no buttons to answer. */
  readonly review: ((signal: AbortSignal) => Promise<AiToolDecision>) | undefined;
}

export interface ApprovalCard {
  readonly element: HTMLElement;
  close(): void;
}

/** Max characters that are visible in the box for arguments. */
const glance = 1200;
const tooEarly = "That click did not count: the question had only just appeared or moved. Click again.";
const destroys = "This tool may delete or overwrite something, by its own word. That may be for good.";
const readAll = "Scroll to read them all before you decide.";

/** Asks the user whether a tool may run, with the exact arguments that it would run with. */
export function createApprovalCard(options: ApprovalCardOptions): ApprovalCard {
  const { request, title, origin, arming } = options;
  let reviewing = new AbortController();
  const problem = html("p", { class: "problem", role: "alert" });
  const choices = options.review ? [] : options.choices;
  const lasting = choices.filter(({ isLasting }) => isLasting).map(buttonOf);
  const buttons = options.review
    ? [decisionButton("Review in a window", () => void review(options.review))]
    : choices.filter(({ isLasting }) => !isLasting).map(buttonOf);
  const unwatch = arming.watch((isArmed) => {
    for (const button of [...buttons, ...lasting]) button.setAttribute("aria-disabled", String(!isArmed));
  });

  function buttonOf({ label, decision }: Choice): HTMLButtonElement {
    return decisionButton(label, () => options.onDecide(decision));
  }

  function decisionButton(label: string, decide: () => void): HTMLButtonElement {
    const onclick = (event: Event) => {
      if (!event.isTrusted) return;
      if (arming.isArmed) decide();
      else problem.textContent = tooEarly;
    };
    const isMain = label.startsWith("Allow once") || label.startsWith("Review");
    const look = isMain ? `button strong${request.destructive ? " danger" : ""}` : "button";
    return html("button", { type: "button", class: look, onclick }, label);
  }

  async function review(ask: ApprovalCardOptions["review"]): Promise<void> {
    problem.textContent = "";
    // A window that is out of sight makes room for one in front; the second half of a double click opens none.
    arming.disturb();
    reviewing.abort();
    const { signal } = (reviewing = new AbortController());
    try {
      const decision = await ask?.(signal);
      if (decision !== undefined && !signal.aborted) options.onDecide(decision);
    } catch (error) {
      if (!signal.aborted) problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  const json = readableText(JSON.stringify(request.arguments));
  const whose = origin === undefined ? [] : ["A tool of ", html("strong", {}, showInvisible(origin)), ". "];
  const asks = ` Asked for by ${titleText(request.agent.name) || "the assistant"}.`;
  const element = html(
    "div",
    { class: "approval", part: "approval", role: "group", "aria-label": `May ${title} run?`, tabindex: "-1" },
    html("p", { class: "question" }, "May ", html("strong", {}, title), " run?"),
    request.destructive && html("p", { class: "destroys" }, destroys),
    html("p", { class: "whose" }, ...whose, request.reason, asks),
    !request.changed && request.description !== undefined && describedAs(request.description),
    request.changed && toolChange(request.changed),
    html("h3", {}, "It would run with"),
    html("pre", { tabindex: "0", "aria-label": "The arguments it would run with" }, json),
    json.length > glance && html("p", { class: "whose" }, `${json.length.toLocaleString()} characters. ${readAll}`),
    html("div", { class: "choices" }, ...buttons, lasting.length > 0 && more(lasting, () => arming.disturb())),
    problem,
  );
  return {
    element,
    close() {
      unwatch();
      reviewing.abort();
    },
  };
}

/** The answers that also hold for later calls. What unfolds moves what is below it. */
function more(buttons: readonly HTMLElement[], onMove: () => void): HTMLElement {
  const name = html("summary", {}, "More answers");
  return html("details", { class: "more", ontoggle: onMove }, name, html("div", { class: "choices" }, ...buttons));
}

/** A page wrote this: it is shown as a quotation. */
function describedAs(description: string): HTMLElement {
  const text = showInvisible(description.trim());
  return html(
    "div",
    { class: "described" },
    html("h3", {}, "What its page says that it does"),
    html("blockquote", { tabindex: "0" }, text),
  );
}

/** A tool's text when it was allowed, beside its text now. */
function toolChange({ before, after }: ToolChange): HTMLElement {
  return html(
    "div",
    { class: "tool-change" },
    html(
      "section",
      {},
      html("h3", {}, "When you allowed it"),
      html("pre", { tabindex: "0" }, ...marked("del", before)),
    ),
    html("section", {}, html("h3", {}, "Now"), html("pre", { tabindex: "0" }, ...marked("ins", after))),
  );
}

function marked(tag: "del" | "ins", pieces: readonly TextPiece[]): readonly (HTMLElement | string)[] {
  return pieces.map(({ text, differs }) => (differs ? html(tag, {}, showInvisible(text)) : showInvisible(text)));
}
