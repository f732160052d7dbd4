import { packageChunks } from "./chunks.ts";
import { createAskInPage } from "./create-ask-in-page.ts";
import type { AskInPage } from "./create-ask-in-page.ts";

/** Asks the person in front of the page, for whoever runs the page's tools for a caller that cannot be asked. */
export const askInPage: AskInPage = createAskInPage(packageChunks.dialog);
