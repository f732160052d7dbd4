import { connectHub } from "pagewire/hub-client";
import { WebSocket } from "ws";
import type { Parameters, Started, Worker } from "../harness/role.ts";

/** Agents in one process, each of which watches all calls; its work is to say whether all have seen some. */
export async function startWatchingAgents({
  port = 0,
  count = 1,
  agentToken = "",
}: Parameters): Promise<Started & Worker> {
  const seen = Array.from({ length: count }, () => 0);
  for (const index of seen.keys()) {
    const url = `http://127.0.0.1:${port}`;
    const client = await connectHub({ url, token: agentToken, agent: { name: `watcher ${index}` }, WebSocket });
    client.watch(() => (seen[index] = (seen[index] ?? 0) + 1));
  }
  return {
    port,
    work() {
      if (seen.includes(0)) throw new Error("An agent that watches saw no call.");
    },
  };
}
