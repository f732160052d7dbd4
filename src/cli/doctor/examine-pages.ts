import type { ProvenHub } from "../../hub-client/index.ts";
import { messageOf } from "../../wire/index.ts";
import { askHub } from "../ask-hub.ts";
import { hint, well } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** Whether the hub has pages of its own, and where its demo is. */
export async function examinePages(
  hub: ProvenHub,
): Promise<{ readonly demo: string | undefined; readonly findings: readonly Finding[] }> {
  try {
    const answer = await askHub({ ...hub, method: "GET", path: "/api/app" });
    const demo = typeof answer["demo"] === "string" ? answer["demo"] : undefined;
    const opened = "The hub has pages of its own. Open them, signed in, with: npx pagewire open";
    const found = well("pages", demo === undefined ? opened : `${opened}. The demo is at ${demo}/.`);
    return { demo, findings: [found] };
  } catch (error) {
    const message = `The hub says nothing of its own pages: ${messageOf(error)}`;
    return { demo: undefined, findings: [hint("pages", message, "Start the hub anew after an update.")] };
  }
}
