// A hub of a team whose issuer signs any claims that a test has, and a page of Ada's with one tool that destroys and one that does not.
import { connectMcpPage } from "../../doors/mcp/test-support/mcp-page.test-helper.ts";
import type { McpPage, PageCall } from "../../doors/mcp/test-support/mcp-page.test-helper.ts";
import { signPageToken } from "../../guard/tokens.ts";
import type { HubOptions } from "../../options/options.ts";
import { ownTokens, resolveTeam } from "../../options/team-options.ts";
import type { TeamOptions } from "../../options/team-options.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { audience, startIssuer } from "./start-issuer.test-helper.ts";
import type { TestIssuer } from "./start-issuer.test-helper.ts";

export interface IssuerHub extends TestHub {
  readonly issuer: TestIssuer;
  readonly page: McpPage;
  readonly team: TeamOptions;
  /** The hub with an access token of Ada for these scopes. */
  as(scope: string, claims?: Readonly<Record<string, unknown>>): Promise<TestHub>;
  /** Connects another page of Ada's with these tools. */
  connect(tab: string): Promise<McpPage>;
}

const inputSchema = { type: "object" } as const;
const tools = [
  { name: "look", inputSchema },
  { name: "wipe", inputSchema, annotations: { destructiveHint: true } },
];

/** Calls are answered at once, unless `handle` does something else. */
export async function startIssuerHub(
  options: Partial<HubOptions> = {},
  handle: (call: PageCall) => void = (call) => call.say("done"),
): Promise<IssuerHub> {
  const issuer = await startIssuer();
  const providers = [{ name: "acme", issuer: issuer.issuer, audiences: [audience], adminGroups: ["boss"] }];
  const team = { secret: "s".repeat(32), providers };
  const hub = await startHub({ team, ...options });
  const connect = async (tab: string) => {
    const token = await signPageToken({ ...ownTokens(resolveTeam(team)), subject: "acme/ada" });
    return connectMcpPage(hub, { token, tab, offer: { tools }, handle });
  };
  const as = async (scope: string, claims = {}) => ({ ...hub, token: await issuer.sign({ scope, ...claims }) });
  return { ...hub, issuer, team, as, connect, page: await connect("tab-1") };
}
