export type { BrowserTab, ExtensionApi, RuntimePort, Sender } from "./browser-api.ts";
export { pagePort, shownAsk, shownCallsMost, shownHub, shownTab } from "./messages.ts";
export type {
  FromOwnPage,
  FromPage,
  FromProbe,
  PersonAnswer,
  PersonQuestion,
  Reply,
  ShownAsk,
  ShownCall,
  ShownHub,
  ShownTab,
  ShownTool,
  ToPage,
} from "./messages.ts";
export { callModes, defaultSite, noSettings, parseSettings, siteOf } from "./settings.ts";
export type { CallMode, PairedHub, Settings, SiteSettings } from "./settings.ts";
export { isLoopback } from "./is-loopback.ts";
export { isMeant, originPattern, patternOrigin, siteOrigin } from "./origin-pattern.ts";
export { startPage } from "./in-page/start-page.ts";
export { startProbe } from "./in-page/probe.ts";
export { startWorker } from "./background/start-worker.ts";
export { startMainWorld } from "./bridge/start-main-world.ts";
