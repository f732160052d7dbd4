export { approveInPage } from "./approve-in-page.ts";
export { askInPage } from "./ask-in-page.ts";
export type { AskInPage } from "./create-ask-in-page.ts";
export { connectPage } from "./connect-page.ts";
export { connectWorkerPort } from "./connect-worker-port.ts";
export type { Page, PageCallEvent, PageState } from "./page.ts";
export { defaultHub } from "./page-options.ts";
export type { PageOptions } from "./page-options.ts";
export type { WorkerPortOptions } from "./open-worker-port.ts";
