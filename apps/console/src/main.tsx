import { createSafeStorage } from "../../common/src/safe-storage.ts";
import { start } from "../../common/src/session/start.tsx";
import { takeCode } from "../../common/src/sign-in-code.ts";
import { applyTheme } from "../../common/src/theme.ts";
import { Console } from "./console.tsx";

// Before anything else: no code may stay in the address bar or the history.
const code = takeCode(location, history);

applyTheme(createSafeStorage(() => localStorage));
void start({
  root: document.getElementById("app") ?? document.body,
  code,
  page: (session) => <Console session={session} />,
});
