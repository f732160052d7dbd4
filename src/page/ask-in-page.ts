import { packageChunks } from "./chunks.ts";
import { createAskInPage, createApprove } from "./dialog/dialog.ts";
import type { AskInPage } from "./dialog/dialog.ts";
import type { Approve } from "../toolbox/index.ts";

/** Asks the person in front of the page to allow one thing, shown with exactly the arguments it will run with. */
export const approveInPage: Approve = createApprove(packageChunks.dialog);

/** Asks the person in front of the page, for whoever runs the page's tools for a caller that cannot be asked. */
export const askInPage: AskInPage = createAskInPage(packageChunks.dialog);
