// The HTTP API of the hub's own web pages: sign-in, identity, and the conversations and consents of the user.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import type { Consents } from "../../approvals/consents.ts";
import { holderOf } from "../../identity/admitted.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { AppSessions } from "../../guard/app-sessions.ts";
import type { Browsers } from "../../guard/browsers.ts";
import type { Credentials } from "../../guard/credentials.ts";
import type { PageKeys } from "../../identity/page-keys.ts";
import type { ShellCredentials } from "../../guard/shell-credentials.ts";
import type { Passed } from "../../guard/guard.ts";
import { clearCookie, sessionCookie } from "../../http/cookies.ts";
import { addressIn, pathOf } from "../../http/exchange.ts";
import { respondNothing, respondText } from "../../http/respond.ts";
import { conversationsOf, removeConversation } from "../../store/index.ts";
import type { Store } from "../../store/index.ts";
import type { Pins } from "../../approvals/pins.ts";
import type { ResolvedOptions } from "../../options/options.ts";
import { version } from "../../common/version.ts";
import type { ModelSource } from "../core/model-source.ts";
import { readChoice, readOrigin, readPersonToken, readSignIn } from "./read-bodies.ts";

export interface OwnDoor {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
}

export interface OwnDoorOptions {
  readonly appSessions: AppSessions;
  readonly person: Credentials["person"];
  readonly pageKeys: Pick<PageKeys, "challenge">;
  readonly shells: ShellCredentials;
  readonly browsers: Browsers;
  readonly store: Store;
  readonly limits: Limits;
  readonly consents: Consents;
  readonly pins: Pins;
  /** Facts about the hub for its pages, the same for all users. */
  readonly about: (request: IncomingMessage) => object;
  /** In team mode: ends the sign-in of a page's token; resolves with the address to sign out at the identity provider. */
  readonly signOut: ((admitted: Admitted) => Promise<string | undefined>) | undefined;
  readonly models: ModelSource;
}

interface Asked {
  readonly response: ServerResponse;
  readonly request: IncomingMessage;
  readonly admitted: Admitted;
  /** The last segment of a path that names one thing. */
  readonly name: string;
}

/** The JSON answer; undefined for an empty success. */
type Answer = (asked: Asked) => object | undefined | Promise<object | undefined>;

export function createOwnDoor(options: OwnDoorOptions): OwnDoor {
  const { appSessions, pageKeys, browsers, store, limits, consents, pins, about, models } = options;
  const codes = codeAnswers(options);
  // Conversations of pages are shown by those pages.
  const ownerOf = ({ principal }: Admitted) => ({ principal, origin: undefined });

  async function signIn(request: IncomingMessage): Promise<object> {
    const { code, key } = await readSignIn(request, limits);
    const { origin } = request.headers;
    const { text: token, expiresAt } = await appSessions.signIn(code, { use: "app", origin, key });
    return { token, expiresAt };
  }

  const answers: Readonly<Record<string, Answer>> = {
    "GET browsers": async ({ admitted: { principal } }) => ({ browsers: await browsers.list(principal) }),
    async "DELETE browsers/"({ admitted: { principal }, name: id }) {
      await browsers.remove(principal, id);
      return undefined;
    },
    ...codes,
    async "POST sign-out"({ response, admitted }) {
      if (admitted.session === undefined) throw new PagewireError("token-invalid", notSignedIn);
      const { signOut } = options;
      if (signOut) response.setHeader("Set-Cookie", signedOut);
      const logout = await signOut?.(admitted);
      await appSessions.signOut(admitted);
      return signOut && { ok: true, ...(logout !== undefined && { logout }) };
    },
    async "GET app"({ request, admitted: { principal } }) {
      await models.load(principal);
      return { ...about(request), model: usableModel(models, principal), principal };
    },
    "GET conversations": async ({ admitted }) => ({
      conversations: await conversationsOf(store, ownerOf(admitted)),
    }),
    async "DELETE conversations/"({ admitted, name: id }) {
      await removeConversation(store, ownerOf(admitted), id);
      return undefined;
    },
    "GET consents": async ({ admitted: { principal } }) => ({ consents: await consents.list(principal) }),
    async "DELETE consents/"({ admitted: { principal }, name }) {
      await consents.remove(principal, name);
      return undefined;
    },
    "GET pins": ({ admitted: { principal } }) => pins.list(principal),
    "POST pins/": async ({ request, admitted: { principal }, name }) => {
      const choice = await readChoice(request, limits);
      if (name === "accept") return { accepted: await pins.accept(principal, choice) };
      if (name === "remove") return { removed: await pins.remove(principal, choice) };
      throw new PagewireError("route-not-found", "Pins are accepted and removed.");
    },
  };

  async function answerTo(
    request: IncomingMessage,
    response: ServerResponse,
    admitted: Admitted | undefined,
  ): Promise<object | undefined> {
    const [, , what = "", name, more] = pathOf(request).split("/");
    const method = request.method === "HEAD" ? "GET" : request.method;
    const asked = `${method} ${what}${name === undefined ? "" : "/"}`;
    if (asked === "POST sign-in") return signIn(request);
    if (asked === "POST challenge") return { challenge: pageKeys.challenge() };
    const answer = answers[asked];
    if (!answer || more !== undefined) throw new PagewireError("route-not-found", "There is nothing here.");
    if (!admitted) throw new PagewireError("token-required", "Sign in first, with: npx pagewire open");
    return answer({ request, response, admitted, name: decode(name ?? "") });
  }

  return {
    async serve(request, response, { admitted }) {
      const answer = await answerTo(request, response, admitted);
      if (answer === undefined) respondNothing(response);
      else respondText(response, { text: JSON.stringify(answer), type: "application/json" });
    },
  };
}

/** Codes that let another page, terminal or browser in. */
function codeAnswers({
  appSessions,
  person,
  shells,
  browsers,
  limits,
}: OwnDoorOptions): Readonly<Record<string, Answer>> {
  /** The user in person, by a second token of the same user's; undefined where none is sent. */
  async function readPerson(request: IncomingMessage, { principal }: Admitted): Promise<Admitted | undefined> {
    const token = await readPersonToken(request, limits);
    if (token === undefined) return undefined;
    const admitted = await person(token, undefined);
    // A token for terminals in pages of an app is known to that app's scripts.
    const isTheirs = admitted.inPerson && !admitted.isOwner && admitted.origin === undefined;
    if (isTheirs && admitted.principal === principal) return admitted;
    throw new PagewireError("option-refused", notInPerson);
  }

  return {
    async "POST codes"({ request, admitted }) {
      const person = await readPerson(request, admitted);
      const { expiresAt: ends = Infinity } = person ?? {};
      const holder = { ...admitted, expiresAt: Math.min(ends, admitted.expiresAt ?? Infinity) };
      const { text: code, expiresAt } = appSessions.mintCode(holder, {
        use: "app",
        person: person && holderOf(person),
      });
      return { code, url: `${addressIn(request)}/#code=${code}`, expiresAt };
    },
    "POST owner-codes"({ request, admitted }) {
      const { text: code, expiresAt } = appSessions.mintCode(admitted, { use: "app", isOwners: true });
      return { code, url: `${addressIn(request)}/#code=${code}`, expiresAt };
    },
    "POST browser-codes"({ request, admitted }) {
      const { text: code, expiresAt } = browsers.mintCode(admitted);
      return { code, url: `${addressIn(request)}#${code}`, expiresAt };
    },
    async "POST shell-codes"({ request, admitted }) {
      const { text: code, origin, isOwn, expiresAt } = shells.mintCode(admitted, await readOrigin(request, limits));
      if (!isOwn) return { code, origin, expiresAt };
      return { code, url: `${origin ?? addressIn(request)}/terminal#code=${code}`, expiresAt };
    },
  };
}

const signedOut = clearCookie(sessionCookie);

const notSignedIn =
  "Only a browser that signed in with a code can sign out. To replace the token of all agents: npx pagewire token rotate";

const notInPerson =
  'The "person" must be a token of the same user for the audience "pagewire:terminal", and for no page. It is for hubs in jwt mode.';

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PagewireError("request-malformed", "The name in the path is not percent-encoded UTF-8.");
  }
}

interface DescribeOptions {
  readonly options: Pick<ResolvedOptions, "ai" | "jwt" | "shell" | "team">;
  /** The origins whose pages may open the agent's window. */
  readonly parents: readonly string[];
  readonly demo: string | undefined;
}

export interface HubFacts {
  readonly version: string;
  readonly mode: "local" | "jwt" | "team";
  readonly model: {
    readonly provider: string;
    readonly models: readonly string[];
    readonly isRehearsal: boolean;
  } | null;
  readonly parentOrigins: readonly string[];
  readonly demo: string | null;
  readonly terminals: boolean;
  /** The origins that the terminal page may fetch from. */
  readonly terminalFetch: readonly string[];
}

/** Public facts about the hub, for its own pages. */
export function describeHub({ options: { ai, jwt, shell, team }, parents, demo }: DescribeOptions): HubFacts {
  return {
    version,
    mode: team ? "team" : jwt ? "jwt" : "local",
    model: describeModel(ai),
    parentOrigins: parents,
    demo: demo ?? null,
    terminals: shell.isOn,
    terminalFetch: shell.fetchOrigins ?? [],
  };
}

/** A conversation says why an organisation's model cannot be used. */
function usableModel(models: ModelSource, principal: string): HubFacts["model"] {
  try {
    return describeModel(models.of(principal));
  } catch {
    return null;
  }
}

function describeModel(ai: ResolvedOptions["ai"]): HubFacts["model"] {
  return ai ? { provider: providerOf(ai), models: ai.models, isRehearsal: ai.isRehearsal } : null;
}

/** The name of a hub's provider, as its pages show it. */
export function providerOf({ isRehearsal, provider }: NonNullable<ResolvedOptions["ai"]>): string {
  if (isRehearsal) return "rehearsal";
  return typeof provider === "string" ? provider : "custom";
}
