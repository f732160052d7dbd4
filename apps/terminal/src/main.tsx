import { render } from "preact";
import { takeCode } from "../../common/src/sign-in-code.ts";
import { applyTheme } from "../../common/src/theme.ts";
import { TerminalPage, storage } from "./terminal-page.tsx";

const root = document.getElementById("app") ?? document.body;

/** Another code signs in again. */
function show(code: string | undefined): void {
  render(<TerminalPage code={code} />, root);
}

// Before anything else: the code must not remain in the address bar or the history.
const code = takeCode(location, history);
applyTheme(storage);
root.replaceChildren();
show(code);

// A link with a code that is opened where this page is already: only the end of its address changes.
addEventListener("hashchange", () => {
  const next = takeCode(location, history);
  if (next !== undefined) show(next);
});
