// Authenticates agents, pages, terminals and their programs, in local mode and in jwt mode.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import type { OnOver } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import type { Note } from "../common/log.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { Later, Store } from "../store/index.ts";
import { createTerminals } from "../terminals/create-terminals.ts";
import type { Terminals } from "../terminals/terminals.ts";
import type { Admitted } from "../identity/admitted.ts";
import { createAppSessions } from "./app-sessions.ts";
import type { AppSessions } from "./app-sessions.ts";
import { createBrowsers } from "./browsers.ts";
import type { Browsers } from "./browsers.ts";
import { isAppToken, isShellToken } from "./grant.ts";
import { createPageKeys } from "../identity/page-keys.ts";
import type { PageKeys } from "../identity/page-keys.ts";
import { createHubProofs } from "../identity/hub-proofs.ts";
import type { HubProofs, HubSecret } from "../identity/hub-proofs.ts";
import { jwtCredentials, localCredentials } from "./root-credentials.ts";
import type { RootCredentials } from "./root-credentials.ts";
import { createShellCredentials, terminalsOff } from "./shell-credentials.ts";
import type { ShellCredentials, ShellRoot } from "./shell-credentials.ts";

export interface Credentials extends Omit<RootCredentials, "root" | "shellRoot" | "owner" | "ownerRoot"> {
  /** The hub's owner: a program by the owner's key, or one of the hub's own pages by the owner's sign-in. */
  owner(token: string | undefined, request?: IncomingMessage): Promise<Admitted>;
  /**
   * An agent, or the user in person: the hub's owner, and in jwt mode a program with the user's token for terminals.
   */
  person(token: string | undefined, origin: string | undefined, request?: IncomingMessage): Promise<Admitted>;
  /** An agent, or a person who is signed in, that governs its organisation. */
  admin(token: string | undefined, request?: IncomingMessage): Promise<Admitted>;
  /** A program in a terminal, by the token in its environment. */
  terminal(token: string | undefined): Promise<Admitted>;
  /** Authenticates by the shell key, or by the token that a page of this origin received for a code. */
  shell(token: string | undefined, origin: string | undefined): Promise<Admitted>;
  /** Throws if pages of this origin can never open a terminal; the message says how to allow it. */
  checkShellOrigin(origin: string | undefined): void;
  readonly browsers: Browsers;
}

/** The additions of team mode. */
export interface TeamCredentials {
  /** The credentials of jwt mode, with agents that bring access tokens or keys. */
  credentials(base: RootCredentials): RootCredentials;
  /** Throws for those who do not govern their organisation, or not with this token. */
  checkAdmin(admitted: Admitted): void;
  /** Adds the budgets of the organisation. */
  narrow(admitted: Admitted): Promise<Admitted>;
  /** Loads what a credential rests on; throws if that has ended. */
  readonly signIn: { use(admitted: Admitted): Promise<void> };
}

export interface CredentialsOptions {
  /** In team mode: puts its own agents in the place of those of jwt mode. */
  readonly team: TeamCredentials | undefined;
  readonly options: ResolvedOptions;
  readonly ownOrigins: ReadonlySet<string>;
  readonly hubsKey: (() => string) | undefined;
  readonly store: Store;
  readonly later: Later;
  readonly note: Note;
  readonly record: Audit["record"];
  readonly onNotSaved: (what: "sign-in" | "terminal") => void;
  readonly onOver: OnOver;
  /** Called when a sign-in has ended. */
  readonly onEnded: () => void;
}

/** Derived from the hub's root credentials: sign-ins, access to terminals, and the programs in them. */
export interface Resting {
  readonly appSessions: AppSessions;
  readonly pageKeys: PageKeys;
  readonly shells: ShellCredentials;
  readonly terminals: Terminals;
  readonly proofs: HubProofs;
}

export function createCredentials({
  options,
  team,
  ownOrigins,
  hubsKey,
  ...parts
}: CredentialsOptions): Credentials & Resting {
  const { limits } = options;
  const proofs = createHubProofs({
    isSigned: options.jwt !== undefined,
    secretOf: (secret) => secretOf(secret, options),
    givenKey: (digest) => terminals.proofKey(digest),
    ...{ limits, hubsKey },
    now: () => Date.now(),
  });
  const own = options.jwt
    ? jwtCredentials(options, ownOrigins)
    : localCredentials(options, ownOrigins, proofs.isProven);
  const base = team?.credentials(own) ?? own;
  const { onNotSaved } = parts;
  const narrow = team?.narrow ?? ((admitted: Admitted) => admitted);
  const pageKeys = createPageKeys(limits, Date.now, hubsKey);
  const appSessions = createAppSessions({
    ...parts,
    keys: pageKeys,
    isOwn: (origin) => ownOrigins.has(origin),
    limits,
    now: Date.now,
    root: base.root,
    ownerRoot: base.ownerRoot,
    onNotSaved: () => onNotSaved("sign-in"),
  });
  const terminals = createTerminals({
    ...parts,
    limits,
    now: Date.now,
    onNotSaved: () => onNotSaved("terminal"),
    root: (madeWith, holder) => base.root(madeWith === "agent" ? "app" : "shell", holder),
  });
  const { shell } = options;
  const browsers = createBrowsers({
    ...{ sessions: appSessions, root: base, ownOrigins, narrow, now: Date.now },
    hasOwner: !options.jwt && shell.key !== undefined,
  });
  const shells = createShellCredentials({ shell, root: base.shellRoot, sessions: appSessions, ownOrigins });
  const ownPage = async (token: string) => {
    const admitted = await appSessions.verify(token, { use: "app" });
    await team?.signIn.use(admitted);
    return admitted;
  };
  const agent: Credentials["agent"] = (token, request) =>
    token !== undefined && isAppToken(token) ? ownPage(token) : base.agent(token, request);
  const all: Credentials & Resting = {
    ...base,
    agent,
    async owner(token, request) {
      const admitted = (token === undefined ? undefined : base.owner(token)) ?? (await agent(token, request));
      if (admitted.isOwner) return admitted;
      throw new PagewireError("option-refused", base.ownerRoot() === undefined ? ownerElsewhere : ownerNeeded);
    },
    async admin(token, request) {
      const admitted = await narrow(await agent(token, request));
      if (!team) throw new PagewireError("option-refused", noOrganisations);
      team.checkAdmin(admitted);
      return admitted;
    },
    async person(token, origin, request) {
      const isProgram = token !== undefined && origin === undefined && !isAppToken(token);
      const owner = isProgram ? base.owner(token) : undefined;
      const user = isProgram && options.jwt ? await asUser(base.shellRoot.admit, token) : undefined;
      const admitted = owner ?? user ?? (await agent(token, request));
      return admitted.isOwner || user ? { ...admitted, inPerson: true } : admitted;
    },
    appSessions,
    pageKeys,
    browsers,
    shells,
    terminals,
    proofs,
    async terminal(token) {
      if (token !== undefined) return terminals.verify(token);
      throw new PagewireError("token-required", "Programs in a terminal need its token: $PAGEWIRE_TERMINAL_TOKEN.");
    },
    shell: shells.verify,
    checkShellOrigin: shells.checkOrigin,
    // In jwt mode this is the only token that the hub's own terminal page has.
    page: (origin, token) =>
      options.jwt && origin !== undefined && ownOrigins.has(origin) && token !== undefined && isShellToken(token)
        ? appSessions.verify(token, { use: "shell", origin })
        : base.page(origin, token),
    isStillGood(admitted, origin) {
      if (admitted.terminal !== undefined) return terminals.isStillGood(admitted);
      if (admitted.session === undefined) return base.isStillGood(admitted, origin);
      const isBrowsers = admitted.browser !== undefined;
      return appSessions.isStillGood(admitted) && (origin === undefined || isBrowsers || !base.isHopeless(origin));
    },
  };
  return team ? narrowed(all, narrow) : all;
}

/** All credentials, each with the lower limits that its organisation has at that time. */
function narrowed(
  all: Credentials & Resting,
  narrow: (admitted: Admitted) => Admitted | Promise<Admitted>,
): Credentials & Resting {
  const after =
    <Given extends readonly unknown[]>(admit: (...given: Given) => Admitted | Promise<Admitted>) =>
    async (...given: Given) =>
      narrow(await admit(...given));
  const { agent, owner, person, terminal, shell, page } = all;
  return {
    ...all,
    ...{ agent: after(agent), owner: after(owner), person: after(person) },
    ...{ terminal: after(terminal), shell: after(shell), page: after(page) },
  };
}

const noOrganisations =
  "This hub is not in team mode, so no organisation is governed here. For a hub that is: npx pagewire login https://hub.example.com --scope admin";
const ownerNeeded =
  "Only the hub's owner changes this: on the command line, or in a page that was signed in by npx pagewire open. No agent's token does.";
const ownerElsewhere =
  "Others than its owner reach this hub, or it was started by a program of its own: this is changed where it runs, and not over HTTP.";

function secretOf(secret: HubSecret, { jwt, shell, agentToken }: ResolvedOptions): string | undefined {
  if (secret === "shell" && !shell.isOn && !shell.load) throw terminalsOff(shell);
  return jwt ? undefined : (secret === "shell" ? shell.key : agentToken)?.();
}

/** Undefined for a token that is not for terminals: it may be an agent's. */
async function asUser(admit: ShellRoot["admit"], token: string): Promise<Admitted | undefined> {
  try {
    return await admit(token, undefined);
  } catch (error) {
    if (PagewireError.isInstance(error) && error.code === "token-invalid") return undefined;
    throw error;
  }
}
