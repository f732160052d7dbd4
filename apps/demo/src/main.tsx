import { render } from "preact";
import { createSafeStorage } from "../../common/src/safe-storage.ts";
import { applyTheme } from "../../common/src/theme.ts";
import { ThemeButton } from "../../common/src/ui/theme-button.tsx";
import { addDays } from "./data/calendar.ts";
import { generateSales } from "./data/generate-sales.ts";
import { startAgents } from "./start-agents.ts";
import { createBrowserStorage } from "./state/browser-storage.ts";
import { createDashboard, parseNotes } from "./state/dashboard.ts";
import { parseHubAddress } from "./state/hub-address.ts";
import { showHubProblem } from "./view/agents/connection.tsx";
import { byId } from "./view/dom.ts";
import { mountDashboard } from "./view/dashboard-view.ts";

const storage = createBrowserStorage(() => localStorage);
// Today is not over: the last day with all its orders is yesterday.
const yesterday = addDays(new Date().toISOString().slice(0, 10), -1);
const dashboard = createDashboard({
  sales: generateSales({ lastDay: yesterday }),
  notes: parseNotes(storage.read("notes")),
  createId: () => crypto.randomUUID(),
});
dashboard.watch(["notes"], ({ notes }) => storage.write("notes", notes));

const themeStorage = createSafeStorage(() => localStorage);
applyTheme(themeStorage);
render(<ThemeButton storage={themeStorage} />, byId("theme", HTMLElement));

/** The page's hub, or undefined if it has no address: then it is a dashboard without agents, and says so. */
function findHub(): string | undefined {
  try {
    return parseHubAddress(document.querySelector<HTMLMetaElement>("meta[name=pagewire-hub]")?.content);
  } catch (error) {
    showHubProblem(error);
    return undefined;
  }
}

const hub = findHub();
const assistant = hub === undefined ? undefined : await startAgents({ hub, dashboard, storage });
mountDashboard(dashboard, assistant && ((text) => assistant.ask({ text })));
