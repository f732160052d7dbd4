import type { HubOutcome } from "../../hub-client/index.ts";
import { plainText } from "./plain-text.ts";
import type { Printer } from "./printer.ts";
import { renderContent } from "./render-content.ts";

/** Writes how a call ended: the page's answer to stdout, everything else to stderr. */
export function showOutcome(outcome: HubOutcome, printer: Printer): void {
  if (printer.json) return printer.data(outcome);
  const { err } = printer;
  const { result, message = "" } = outcome;
  if (outcome.replay === true) printer.note(err.dim("This call ran before; this is how it ended then."));
  if (outcome.notSaved)
    printer.note(
      err.yellow("The hub could not save how this ended: after its restart it may not know the key's outcome."),
    );
  if (outcome.outcome === "ok") {
    const texts = renderContent(result ?? {});
    for (const text of texts) printer.line(plainText(text));
    if (texts.length === 0) printer.note(err.dim("Done. The tool answered with nothing."));
  } else if (result === undefined) {
    printer.note(`${err.red(`${words[outcome.outcome]}:`)} ${plainText(message)}`);
  } else {
    printer.note(err.red("The tool answered with an error:"));
    for (const text of renderContent(result)) printer.note(plainText(text));
  }
}

const words: Record<HubOutcome["outcome"], string> = {
  ok: "Done",
  "tool-error": "The tool failed",
  rejected: "Rejected",
  "not-delivered": "Not delivered",
  "page-gone": "The page is gone",
  "page-suspended": "The page is suspended",
  "deadline-exceeded": "Too late",
  cancelled: "Cancelled",
  expired: "Expired",
  "outcome-unknown": "Nobody knows how it ended",
};
