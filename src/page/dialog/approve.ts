import type { ApprovalDecision, ApprovalRequest, TextPiece, ToolChange } from "../../toolbox/index.ts";
import { showInvisible } from "../../wire/index.ts";
import { openDialog, quoted, element } from "./open-dialog.ts";

/** Asks to allow one use of a tool, shown with its exact arguments. No answer is a refusal. */
export async function approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
  const { tool, title = tool, description, destructive, agent, reason, changed } = request;
  const shown = scrolled(showInvisible(JSON.stringify(request.arguments, null, 2)));
  const action = await openDialog({
    title: `Allow “${title}”?`,
    message: `${quoted(agent.name)} wants to use the tool ${tool}. ${reason}${destructive ? destroys : ""}`,
    body: changed ? [toolChange(changed), titled("It would run with", shown)] : [...described(description), shown],
    styles: changed ? [toolChangeStyles()] : [],
    accept: "Allow once",
    isDangerous: destructive === true,
    decline: "Refuse",
    signal,
  });
  return { approved: action === "accept", scope: "once" };
}

const destroys = "\nIt may delete or overwrite something, by its own word. That may be for good.";

/** The tool's own description. */
function described(description = ""): readonly HTMLElement[] {
  return description === "" ? [] : [titled("What it says that it does", scrolled(showInvisible(description)))];
}

/** A tool's description when it was allowed, beside the current one. */
function toolChange({ before, after }: ToolChange): HTMLElement {
  const beside = element("div", { className: "beside" });
  beside.append(
    titled("When you allowed it", scrolled(...marked("del", before))),
    titled("Now", scrolled(...marked("ins", after))),
  );
  return beside;
}

function titled(title: string, content: HTMLElement): HTMLElement {
  const section = element("section", {});
  section.append(element("small", { textContent: title }), content);
  return section;
}

/** A text that can be scrolled by keyboard, too. */
function scrolled(...content: readonly (Node | string)[]): HTMLElement {
  const pre = element("pre", { tabIndex: 0 });
  pre.append(...content);
  return pre;
}

function toolChangeStyles(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    .beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr)); gap: 0 0.75rem; }
    section { min-width: 0; }
    del { background: color-mix(in srgb, #d02a1e 22%, Canvas); }
    ins { background: color-mix(in srgb, #1a9a4b 26%, Canvas); text-decoration: none; }
  `);
  return sheet;
}

function marked(tag: "del" | "ins", pieces: readonly TextPiece[]): readonly (Node | string)[] {
  return pieces.map(({ text, differs }) => {
    const shown = showInvisible(text);
    return differs ? element(tag, { textContent: shown }) : shown;
  });
}
