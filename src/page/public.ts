// The published API of pagewire/page. index.ts exports what only rooms of this repository need.
export { approveInPage, askInPage, connectPage } from "./index.ts";
export type { Page, PageCallEvent, PageOptions, PageState } from "./index.ts";
