import type { Approve } from "../toolbox/index.ts";
import type { Chunks } from "./chunks.ts";

/** Asks for an approval in the page's own dialog. Where that cannot be shown nobody was asked, and so it is refused. */
export function createApprove(loadDialog: Chunks["dialog"]): Approve {
  return async (request, signal) => {
    try {
      return await (await loadDialog()).approve(request, signal);
    } catch (error) {
      reportError(error);
      return { approved: false, scope: "once" };
    }
  };
}
