import { mountPage } from "./mount-page.ts";
import { takeCode } from "../../common/src/sign-in-code.ts";

// Before anything else: the code must not remain in the address bar or the history.
const code = takeCode(location, history);
const page = mountPage(document.getElementById("app") ?? document.body, code);

// A link with a code that is opened where this page is already: only the end of its address changes.
addEventListener("hashchange", () => {
  const next = takeCode(location, history);
  if (next !== undefined) page.useCode(next);
});
