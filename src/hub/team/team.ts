// What a hub in team mode has beyond one of jwt mode, whose page and terminal tokens it signs itself.
import { PagewireError } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Note } from "../common/log.ts";
import type { RootCredentials } from "../guard/root-credentials.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { teamKey } from "../options/team-options.ts";
import type { Provider, ResolvedTeam, Scope } from "../options/team-options.ts";
import type { Later, RecordStore } from "../store/index.ts";
import { People } from "./people.ts";

export interface Team {
  readonly providers: readonly Provider[];
  /** The hub's public address, such as https://hub.example.com. */
  readonly url: string;
  /** What access tokens are for: the address of the hub's MCP endpoint. */
  readonly resource: string;
  readonly people: People;
  /** A key for one purpose, of the secret that all hubs of the team have. */
  key(purpose: string): Buffer;
  /** Throws for those who do not govern their organisation, or not with this token. */
  checkAdmin(admitted: Admitted): void;
  /** The credentials of jwt mode, with agents that bring access tokens or keys of service accounts. */
  credentials(base: RootCredentials): RootCredentials;
}

export interface TeamParts {
  readonly options: ResolvedOptions;
  readonly team: ResolvedTeam;
  /** The hub's own address. */
  readonly url: string;
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Limits;
  readonly note: Note;
  readonly onNotSaved: () => void;
  /** Called after somebody's groups or access have changed. */
  readonly onChanged: () => void;
}

export function createTeam({ options, team, url, ...parts }: TeamParts): Team {
  const [publicHost] = options.publicHosts;
  const address = publicHost === undefined ? url : `https://${publicHost}`;
  const resource = `${address}/mcp`;
  const people = new People(parts);
  const providers = team.providers.map((each) => ({
    ...each,
    audiences: each.audiences.length > 0 ? each.audiences : [resource],
  }));
  return {
    ...{ providers, url: address, resource, people },
    checkAdmin({ principal, scopes }) {
      if (!people.known(principal)?.isAdmin)
        throw new PagewireError("admin-needed", "This is for those who govern your organisation.");
      if (scopes && !scopes.includes("admin")) throw scopeNeeded(["admin"]);
    },
    key: (purpose) => teamKey(team.secret, purpose),
    credentials: (base) => ({
      ...base,
      agent: (token) => verifyAgent(token),
    }),
  };
}

function scopeNeeded(needed: readonly Scope[]): PagewireError {
  const names = needed.map((scope) => `"${scope}"`).join(" and ");
  return new PagewireError("scope-needed", `The token may not be used for this. Get one with the scope ${names}.`);
}

async function verifyAgent(token: string | undefined): Promise<Admitted> {
  if (token === undefined)
    throw new PagewireError("token-required", "Agents need an access token of the team's identity provider.");
  throw new PagewireError("token-invalid", "The token is not valid here.");
}
