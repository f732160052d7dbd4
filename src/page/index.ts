export { approveInPage, askInPage } from "./ask-in-page.ts";
export { connectPage, connectWorkerPort } from "./connect-page.ts";
export { defaultHub } from "./api/page-options.ts";
export type { PageOptions } from "./api/page-options.ts";
export type { Page, PageCallEvent, PageState } from "./api/page.ts";
export type { AskInPage } from "./dialog/dialog.ts";
export type { WorkerPortOptions } from "./via-worker/open-worker-port.ts";
