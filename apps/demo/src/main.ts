import { AiAgent, bootstrapAi } from "pagewire/ai-agent";
import { connectPage } from "pagewire/page";
import { addDays } from "./data/calendar.ts";
import { generateSales } from "./data/generate-sales.ts";
import { createBrowserStorage } from "./state/browser-storage.ts";
import { createDashboard } from "./state/dashboard.ts";
import { parseNotes } from "./state/parse-notes.ts";
import { offerDashboard } from "./tools/offer-dashboard.ts";
import { mountAgentsPanel } from "./view/agents/agents-panel.ts";
import { mountAskPanel } from "./view/agents/ask/ask-panel.ts";
import { mountDashboard } from "./view/dashboard-view.ts";
import { byId } from "./view/dom.ts";
import { mountTheme } from "./view/theme.ts";

const storage = createBrowserStorage(() => localStorage);
// Today is not over: the last day with all its orders is yesterday.
const yesterday = addDays(new Date().toISOString().slice(0, 10), -1);
const dashboard = createDashboard({
  sales: generateSales({ lastDay: yesterday }),
  notes: parseNotes(storage.read("notes")),
  createId: () => crypto.randomUUID(),
});
dashboard.watch(["notes"], ({ notes }) => storage.write("notes", notes));

mountTheme(storage);
mountDashboard(dashboard);

// The hub that serves this page is the one that it offers its tools to.
const page = await connectPage({ app: "sales-dashboard", hub: location.origin });
offerDashboard(page, dashboard);
mountAgentsPanel(page, storage);

// So is its model, which asks with the same tools.
bootstrapAi({ remote: { enableRemote: true, remoteCoreUrl: `${location.origin.replace("http", "ws")}/ai-agent` } });
mountAskPanel(byId("agent", AiAgent));
