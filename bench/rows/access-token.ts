import { join } from "node:path";
import { createClosingList } from "../harness/closing-list.ts";
import { chainTimes, measureChain } from "../harness/measure-chain.ts";
import { mainThread, measureCost } from "../harness/measure-cost.ts";
import { agentToken, prepareCallers } from "../harness/prepare-callers.ts";
import { startRole } from "../harness/role-process.ts";
import type { Parameters } from "../harness/role.ts";
import type { Bench, RowFamily } from "../harness/row.ts";
import { startTokenIssuer } from "../hubs/token-issuer.ts";

const row = "access-token";
const loads = [32, 1] as const;
const bars: Readonly<Record<number, number>> = { 32: 20, 1: 50 };

const about = `The chain of "Hub hop in Node" at 200 B, by a hub of a team whose agent brings an access token of the identity provider with each
call; the floor is a hub in local mode, with its own key. The token is verified with the first call, and looked up by its digest then.`;

/** The cost of an access token that is known for a hub. */
export const accessToken: RowFamily = {
  row,
  title: "Calls with an access token",
  about,
  async measure(bench) {
    const running = createClosingList();
    try {
      const { issuer, sign, close } = await startTokenIssuer();
      running.add({ close });
      const audience = "https://hub.example.com/mcp";
      const token = await sign(audience);
      const local = await startHub({ agentToken }, bench);
      const team = await startHub({ team: { issuer, audience } }, bench);
      for (const hub of [local, team]) running.add(hub);
      const pageToken = await pageTokenOf(team.started.port, token);
      const turns = [
        { hub: local, token: agentToken, page: {} },
        { hub: team, token, page: { token: pageToken } },
      ].map(async ({ hub, page, ...caller }) => {
        const { port } = hub.started;
        running.add(await startRole("pages", { port, speaker: "wire", ...page }));
        const connect = await prepareCallers({ port, size: "200 B", inFlight: loads[0], ...caller });
        const cpu = async () => ({ [mainThread]: await hub.mainThreadCpu(), "hub CPU µs/call": await hub.cpu() });
        return () => measureChain({ connect, cpu }, loads, chainTimes(bench.quick));
      });
      const [without, having] = await Promise.all(turns);
      if (!without || !having) throw new Error("There are two hubs.");
      const metric = "hub main-thread CPU µs more for an access token";
      return await measureCost({ row, size: "200 B", metric, bars, without, having }, bench);
    } finally {
      await running.close();
    }
  },
};

function startHub(parameters: Parameters, { profile }: Bench) {
  const name = parameters.team ? "team" : "local";
  return startRole("pagewire", parameters, profile && join(profile, `${row} ${name}`));
}

/** A page of the same person, whose token the hub itself signs. */
async function pageTokenOf(port: number, accessToken: string): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const answer = await fetch(`${url}/api/page-tokens`, {
    method: "POST",
    headers: { Authorization: `Bearer ${accessToken}`, "Content-Type": "application/json" },
    body: JSON.stringify({ origin: url, expiresIn: 3_600_000 }),
  });
  if (!answer.ok) throw new Error(`No token for a page: ${await answer.text()}`);
  return ((await answer.json()) as { readonly token: string }).token;
}
