// What the package publishes as pagewire/page. What only rooms of this repository need is in index.ts.
export { approveInPage, askInPage, connectPage } from "./index.ts";
export type { Page, PageCallEvent, PageOptions, PageState } from "./index.ts";
