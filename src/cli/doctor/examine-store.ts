import { oneLine } from "../console/plain-text.ts";
import { sendOverHttp } from "../send-over-http.ts";
import { warning } from "./finding.ts";
import type { Finding } from "./finding.ts";
import { readStart } from "./read-start.ts";

const answerTime = 3000;

/** Whether the hub at an address can save what it must: it says so where it cannot. */
export async function examineStore(url: string): Promise<readonly Finding[]> {
  const target = new URL("readyz", url.replace(/^ws/, "http").replace(/\/?$/, "/"));
  const said = await sendOverHttp(target, { patience: answerTime })
    .then(readStart)
    .catch(() => "");
  const [isSaid, why = ""] = /^ready\nnothing can be saved(: .*)?\n$/.exec(said) ?? [];
  if (isSaid === undefined) return [];
  const advice = "The hub's log says where. It goes on by itself once that is put right.";
  return [warning("store", `The hub cannot save anything at the moment${oneLine(why, 200)}.`, advice)];
}
