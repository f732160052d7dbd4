export { approveInPage } from "./approve-in-page.ts";
export { connectPage } from "./connect-page.ts";
export { defaultHub } from "./create-page.ts";
export type { PageOptions } from "./create-page.ts";
export type { Page, PageCallEvent, PageState } from "./page.ts";
