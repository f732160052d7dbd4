import type { Approve } from "../toolbox/index.ts";
import { packageChunks } from "./chunks.ts";
import { createApprove } from "./create-approve.ts";

/** Asks the person in front of the page to allow one thing, shown with exactly the arguments it will run with. */
export const approveInPage: Approve = createApprove(packageChunks.dialog);
