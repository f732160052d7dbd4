// A user who decides about tools permanently, and withdraws it: each decision is about one pending call of the model's.
import { setTimeout as pause } from "node:timers/promises";
import { openCore } from "./core-client.ts";
import type { CoreClient } from "./core-client.ts";
import type { Promises } from "./promises.ts";
import type { Random } from "../random.ts";

export interface DeciderOptions {
  readonly url: string;
  readonly token: string;
  readonly promises: Promises;
  readonly random: Random;
  /** Tools that no other decider uses. */
  readonly tools: readonly string[];
  readonly ending: AbortSignal;
}

interface Consent {
  readonly key: string;
  readonly tool: string;
  readonly approved: boolean;
}

/** The number of decisions in one conversation. */
const decisionsEach = 20;

/** Decides until the run ends. */
export async function decide({ random, tools, ending, ...hub }: DeciderOptions): Promise<void> {
  // The number of conversations per principal is limited.
  let session: string | undefined;
  for (let count = 0; !ending.aborted; count++) {
    const tool = random.pick(tools);
    if (count % decisionsEach === 0) session = undefined;
    try {
      const known = (await listConsents(hub)).find((one) => one.tool === tool);
      if (known) await takeBack(known, hub);
      else {
        const client = await openCore({ ...hub, session });
        session = client.session;
        await decideOn(tool, random.chance(0.5), { ...hub, client }).finally(client.close);
      }
    } catch {
      // The hub was killed, or its tab is not back yet.
      await pause(50);
    }
  }
}

type Hub = Pick<DeciderOptions, "url" | "token" | "promises">;

interface Deciding extends Hub {
  readonly client: CoreClient;
}

/** The decision counts as acknowledged when the answer that it was made in is complete. */
async function decideOn(tool: string, approved: boolean, { client, promises }: Deciding): Promise<void> {
  const answer = client.run("send", `decide ${tool}`, { tools: "page" });
  answer.catch(() => {});
  const call = await Promise.race([client.waitingCall(), answer.then(() => undefined)]);
  if (call === undefined) return;
  promises.deciding(tool, approved);
  await client.run("settleToolCall", call.id, { approved, scope: "always" });
  await answer;
  promises.decided(tool);
}

async function takeBack({ key, tool }: Consent, { url, token, promises }: Hub): Promise<void> {
  promises.deciding(tool, undefined);
  const response = await fetch(`${url}/api/consents/${key}`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${token}` },
  });
  if (response.ok) promises.decided(tool);
}

async function listConsents({ url, token }: Pick<Hub, "url" | "token">): Promise<readonly Consent[]> {
  const response = await fetch(`${url}/api/consents`, { headers: { Authorization: `Bearer ${token}` } });
  return ((await response.json()) as { readonly consents: readonly Consent[] }).consents;
}

export async function missingDecisions(hub: Hub): Promise<readonly string[]> {
  return wrongDecisions(await listConsents(hub), hub.promises.decisions());
}

/** Decisions that differ from what was acknowledged. */
export function wrongDecisions(
  consents: readonly Pick<Consent, "tool" | "approved">[],
  decisions: ReturnType<Promises["decisions"]>,
): readonly string[] {
  return [...decisions].flatMap(([tool, possible]) => {
    const is = consents.find((one) => one.tool === tool)?.approved;
    if (possible.includes(is)) return [];
    return [
      `The decision about ${tool} is ${String(is)}, and was acknowledged as ${possible.map(String).join(" or ")}.`,
    ];
  });
}
