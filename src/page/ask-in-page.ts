import { packageChunks } from "./chunks.ts";
import { createAskInPage, createApprove } from "./dialog/dialog.ts";
import type { AskInPage } from "./dialog/dialog.ts";
import type { Approve } from "../toolbox/index.ts";

/** Asks the user of the page to allow one call, shown with the exact arguments that it will run with. */
export const approveInPage: Approve = createApprove(packageChunks.dialog);

/** Asks the user of the page, for callers of the page's tools that cannot be asked themselves. */
export const askInPage: AskInPage = createAskInPage(packageChunks.dialog);
