// The parts of a hub in team mode beyond jwt mode. It signs page and terminal tokens itself.
import type { IncomingMessage } from "node:http";
import { systemClock } from "../../link/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { lowerBudgets } from "../identity/admitted.ts";
import type { Admitted } from "../identity/admitted.ts";
import { ScopeNeeded } from "../http/challenge.ts";
import type { Challenge } from "../http/challenge.ts";
import type { RootCredentials } from "../guard/root-credentials.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { withLoggedErrors } from "../options/with-logged-errors.ts";
import { defaultOrganisationLimits, ownTokens, teamKey } from "../options/team-options.ts";
import { isGranted } from "../identity/scopes.ts";
import type { Provider, ResolvedTeam } from "../options/team-options.ts";
import { Access } from "./people/access.ts";
import { OrganisationSettings } from "./organisation-settings.ts";
import { Organisations } from "./organisations.ts";
import { People } from "./people/people.ts";
import { organisationOf, providerOf, serviceNameOf } from "../common/principals.ts";
import { serves } from "./people/serves.ts";
import { createModels } from "./models.ts";
import type { Models } from "./models.ts";
import { createQuotas } from "./quotas.ts";
import type { Quotas } from "./quotas.ts";
import { createShares } from "./shares.ts";
import type { Shares } from "./shares.ts";
import { ofBusiestOrganisation } from "../backpressure/queue-budget.ts";
import type { OfBusiest } from "../backpressure/queue-budget.ts";
import { createSeal } from "../common/seal.ts";
import type { SharedUse } from "../common/shared-use.ts";
import { Keys, isKey } from "./keys.ts";
import { PersonalKeys } from "./personal-keys.ts";
import { Services } from "./services.ts";
import { createSignIn, withSignIns } from "./sign-in/sign-in.ts";
import type { SignInOfPeople, SignInParts } from "./sign-in/sign-in.ts";
import { withAccess } from "./with-access.ts";
import { AccessTokens } from "./tokens/access-tokens.ts";
import { checkTokenForm, createChallenge, describeResource } from "./tokens/resource.ts";

export interface Team {
  readonly providers: readonly Provider[];
  /** The hub's public address, such as https://hub.example.com. */
  readonly url: string;
  /** The audience of access tokens: the address of the hub's MCP endpoint. */
  readonly resource: string;
  readonly people: People;
  readonly access: Access;
  readonly services: Services;
  readonly personalKeys: PersonalKeys;
  readonly settings: OrganisationSettings;
  readonly organisations: Organisations;
  readonly quotas: Quotas;
  readonly models: Models;
  readonly shares: Shares;
  /** The things from which the hub evicts. */
  readonly ofBusiest: OfBusiest;
  readonly signIn: SignInOfPeople;
  /** Until it resolves everyone is refused. */
  load(): Promise<void>;
  /** How the hub signs the tokens of pages, and verifies them. */
  readonly tokens: ReturnType<typeof ownTokens>;
  /** A key for one purpose, of the secret that all hubs of the team have. */
  key(purpose: string): Buffer;
  close(): void;
  /** Throws for those who do not govern their organisation, or not with this token. */
  checkAdmin(admitted: Admitted): void;
  /** The same with the lower limits of its organisation; what is known of the principal is in memory then. */
  narrow(admitted: Admitted): Promise<Admitted>;
  /** Throws for a token in a form, or at a place, where none may be. */
  checkTokenForm(request: IncomingMessage): void;
  describeResource(request: IncomingMessage): JsonObject;
  readonly challenge: Challenge;
  /** The credentials of jwt mode, with agents that bring access tokens or keys. */
  credentials(base: RootCredentials): RootCredentials;
}

export interface TeamParts extends Omit<SignInParts, "providers" | "people" | "access" | "key"> {
  readonly options: ResolvedOptions;
  readonly team: ResolvedTeam;
  /** The hub's own address. */
  readonly url: string;
  /** For a hub that is one of several. */
  readonly use: SharedUse | undefined;
  /** Called after a person's groups or access have changed. */
  readonly onChanged: () => void;
  /** Called after the policy of an organisation may have changed. */
  readonly onPolicy: () => void;
}

/** How often what other hubs may have changed is read again, in milliseconds: messages between hubs may be lost. */
const safeTime = 10_000;

export function createTeam({ options, team, url, ...parts }: TeamParts): Team {
  const [publicHost] = options.publicHosts;
  const address = publicHost === undefined ? url : `https://${publicHost}`;
  const resource = `${address}/mcp`;
  const kept = { ...parts, now: Date.now };
  const people = new People(kept);
  const access = new Access(kept);
  const keys = new Keys({ ...kept, onEnded: parts.onChanged });
  const services = new Services(keys, Date.now);
  const personalKeys = new PersonalKeys({ ...kept, keys, people, access, maxClaimsAge: team.maxClaimsAge });
  const rereading = setInterval(() => {
    access.readAgain();
    keys.readAgain();
    void accessTokens.askAgain();
  }, safeTime);
  rereading.unref();
  const settings = new OrganisationSettings(parts);
  const quotas = createQuotas(settings, people);
  const organisations = new Organisations({ ...parts, people, settings });
  const models = createModels({
    ...{ settings, seal: createSeal(teamKey(team.secret, "model keys")), now: Date.now },
    hubs: options.ai && withLoggedErrors(options.ai, parts.note),
    ...{ isShared: team.shareModel, addresses: team.modelAddresses },
  });
  const providers = withAudiences(team.providers, resource);
  const key = (purpose: string) => teamKey(team.secret, purpose);
  const signIn = createSignIn({ ...parts, options, providers, url: address, people, access, key: key("sign-in") });
  const shares = createShares({
    ...{ use: parts.use, onOver: parts.onOver, now: systemClock.now },
    limitsOf: (organisation) =>
      providers.find(({ name }) => name === providerOf(organisation))?.organisationLimits ?? defaultOrganisationLimits,
  });
  const { maxClaimsAge } = team;
  const accessTokens = new AccessTokens({ ...kept, providers, people, maxClaimsAge, onEnded: parts.onChanged });
  const admitKey = async (token: string, client?: string) => {
    const admitted = await keys.admit(token, client);
    return serviceNameOf(admitted.principal) === undefined ? personalKeys.admit(admitted) : admitted;
  };
  const about = { providers, url: address, resource, firstScopes: team.firstScopes };
  return {
    ...{ providers, url: address, resource, people, access, services, personalKeys, settings, organisations },
    ...{ quotas, models, shares, ofBusiest: ofBusiestOrganisation(organisationOf), signIn, key },
    tokens: ownTokens(team),
    load: async () => void (await Promise.all([access.load(), keys.load()])),
    close() {
      clearInterval(rereading);
      keys.close();
      signIn.close();
    },
    checkAdmin({ principal, scopes }) {
      // An admin gave a service account its scopes.
      if (serviceNameOf(principal) === undefined && !people.known(principal)?.isAdmin)
        throw new PagewireError("admin-needed", "This is for those who govern your organisation.");
      if (!isGranted(scopes, "admin")) throw new ScopeNeeded("admin", principal);
    },
    checkTokenForm,
    describeResource: (request) => describeResource(about, request),
    challenge: createChallenge(about),
    async narrow(admitted) {
      const { principal } = admitted;
      await organisations.load(principal);
      // Of service accounts nothing is known that could be read.
      if (serviceNameOf(principal) === undefined) await people.load(principal);
      const budgets = organisations.budgetsOf(principal);
      if (!budgets) return admitted;
      const { allowed } = admitted;
      return { ...admitted, allowed: lowerBudgets(allowed, budgets), ofToken: allowed ? { allowed } : {} };
    },
    credentials: (base) => {
      const agent: RootCredentials["agent"] = async (token, request) => {
        if (token === undefined)
          throw new PagewireError("token-required", "Agents need an access token of the team's identity provider.");
        const client = request && parts.clientOf(request);
        const admitted = await (isKey(token) ? admitKey(token, client) : accessTokens.verify(token, client));
        if (isGranted(admitted.scopes, "tools")) return admitted;
        throw new ScopeNeeded("tools", admitted.principal);
      };
      const isStillGood: RootCredentials["isStillGood"] = (admitted, origin) =>
        base.isStillGood(admitted, origin) && !accessTokens.hasEnded(admitted);
      const within = { access, people, keys, serves: serves(providers) };
      return withAccess(withSignIns({ ...base, agent, isStillGood }, signIn), within);
    },
  };
}

/** Access tokens are for the hub's own address, unless the options say otherwise. */
function withAudiences(providers: readonly Provider[], resource: string): readonly Provider[] {
  return providers.map((each) => ({ ...each, audiences: each.audiences.length > 0 ? each.audiences : [resource] }));
}
