// A user who is not the attacker: a page with a small tool, and an agent that calls it.
import type { WebSocket } from "ws";
import { openAgent, openPage, sendCall, sendOffer, settled, smallOffer } from "./peers.ts";
import type { Target } from "./peers.ts";

/** Interval between two calls, in ms, whether or not the last one has been answered. */
const pace = 10;

export interface Bystander {
  /** Makes no more calls; gives how long each took, in ms, from when it was due. */
  stop(): Promise<readonly number[]>;
}

/** Begins to call. A call that is made late because this process was busy counts from when it was made. */
export async function startBystander(target: Target): Promise<Bystander> {
  const page = await openPage(target, "ada", '{"content":[{"type":"text","text":"done"}]}');
  sendOffer(page, smallOffer);
  await settled(page);
  const agent = await openAgent(target, "ada");
  const begun = new Map<string, number>();
  const times: number[] = [];
  let allAnswered = () => {};
  agent.on("message", (frame: Buffer) => {
    const { type, id } = JSON.parse(frame.toString().split("\n", 1)[0] ?? "") as { type: string; id: string };
    if (type === "failure") throw new Error(`A bystander's call failed: ${frame.toString()}`);
    const startedAt = type === "result" ? begun.get(id) : undefined;
    if (startedAt === undefined) return;
    begun.delete(id);
    times.push(performance.now() - startedAt);
    if (begun.size === 0) allAnswered();
  });
  let count = 0;
  const calling = setInterval(() => {
    const id = `${count++}`;
    begun.set(id, performance.now());
    sendCall(agent, id);
  }, pace);
  return {
    async stop() {
      clearInterval(calling);
      if (begun.size > 0) await Promise.race([new Promise<void>((resolve) => (allAnswered = resolve)), cutOff(agent)]);
      for (const peer of [page, agent]) peer.terminate();
      return times;
    },
  };
}

function cutOff(agent: WebSocket): Promise<never> {
  return new Promise((_, reject) => agent.once("close", () => reject(new Error("A bystander was cut off."))));
}
