import { createSafeStorage } from "../../common/src/safe-storage.ts";
import { start } from "../../common/src/session/start.tsx";
import { takeCode } from "../../common/src/sign-in-code.ts";
import { applyTheme } from "../../common/src/theme.ts";
import { Shell } from "./shell/shell.tsx";
import { mountTopLevel } from "./top-level/mount-top-level.ts";

// Before anything else: no code may stay in the address bar or the history.
const code = takeCode(location, history);
const root = document.getElementById("app") ?? document.body;
const storage = createSafeStorage(() => localStorage);

applyTheme(storage);
if (location.hash.startsWith("#approve")) mountTopLevel(root);
else void start({ root, code, page: (session) => <Shell session={session} storage={storage} /> });
