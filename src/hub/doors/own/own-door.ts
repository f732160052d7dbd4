// The HTTP API of the hub's own web pages: sign-in, identity, and the conversations and consents of the user.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError, parseJsonObject } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import type { Consents } from "../../approvals/consents.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { AppSessions } from "../../guard/app-sessions.ts";
import { isPageKey } from "../../identity/page-keys.ts";
import type { PageKeys } from "../../identity/page-keys.ts";
import type { ShellCredentials } from "../../guard/shell-credentials.ts";
import type { Passed } from "../../guard/guard.ts";
import { checkJson, pathOf, readBody } from "../../http/exchange.ts";
import { isOrigin } from "../../common/is-origin.ts";
import { respondNothing, respondText } from "../../http/respond.ts";
import { isConversationId } from "../../store/index.ts";
import type { PinChoice, Pins } from "../../approvals/pins.ts";
import type { Store } from "../../store/index.ts";

export interface OwnDoor {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
}

export interface OwnDoorOptions {
  readonly appSessions: AppSessions;
  readonly pageKeys: Pick<PageKeys, "challenge">;
  readonly shells: ShellCredentials;
  readonly store: Store;
  readonly limits: Limits;
  readonly consents: Consents;
  readonly pins: Pins;
  /** Facts about the hub for its pages, the same for all users. */
  readonly about: (request: IncomingMessage) => object;
}

interface Asked {
  readonly request: IncomingMessage;
  readonly admitted: Admitted;
  /** The last segment of a path that names one thing. */
  readonly name: string;
}

/** The JSON answer; undefined for an empty success. */
type Answer = (asked: Asked) => object | undefined | Promise<object | undefined>;

export function createOwnDoor({
  appSessions,
  pageKeys,
  shells,
  store,
  limits,
  consents,
  pins,
  about,
}: OwnDoorOptions): OwnDoor {
  async function conversationsOf({ principal }: Admitted) {
    // Conversations of pages are shown by those pages.
    return (await store.list(principal)).filter(({ origin }) => origin === undefined);
  }

  async function signIn(request: IncomingMessage): Promise<object> {
    const { code, key } = await readSignIn(request, limits);
    const { origin } = request.headers;
    const { text: token, expiresAt } = await appSessions.signIn(code, { use: "app", origin, key });
    return { token, expiresAt };
  }

  const answers: Readonly<Record<string, Answer>> = {
    "POST codes"({ request, admitted }) {
      const { text: code, expiresAt } = appSessions.mintCode(admitted, { use: "app" });
      return { code, url: `${addressIn(request)}/#code=${code}`, expiresAt };
    },
    async "POST shell-codes"({ request, admitted }) {
      const { text: code, origin, isOwn, expiresAt } = shells.mintCode(admitted, await readOrigin(request, limits));
      if (!isOwn) return { code, origin, expiresAt };
      return { code, url: `${origin ?? addressIn(request)}/terminal#code=${code}`, expiresAt };
    },
    async "POST sign-out"({ admitted }) {
      if (admitted.session === undefined) throw new PagewireError("token-invalid", notSignedIn);
      await appSessions.signOut(admitted);
      return undefined;
    },
    "GET app": ({ request, admitted: { principal } }) => ({ ...about(request), principal }),
    "GET conversations": async ({ admitted }) => ({
      conversations: (await conversationsOf(admitted)).map(({ id, title, changedAt }) => ({ id, title, changedAt })),
    }),
    async "DELETE conversations/"({ admitted, name: id }) {
      const isThere = isConversationId(id) && (await conversationsOf(admitted)).some((each) => each.id === id);
      if (!isThere) throw new PagewireError("conversation-not-found", "There is no such conversation.");
      await store.remove({ principal: admitted.principal, id });
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

  async function answerTo(request: IncomingMessage, admitted: Admitted | undefined): Promise<object | undefined> {
    const [, , what = "", name, more] = pathOf(request).split("/");
    const method = request.method === "HEAD" ? "GET" : request.method;
    const asked = `${method} ${what}${name === undefined ? "" : "/"}`;
    if (asked === "POST sign-in") return signIn(request);
    if (asked === "POST challenge") return { challenge: pageKeys.challenge() };
    const answer = answers[asked];
    if (!answer || more !== undefined) throw new PagewireError("route-not-found", "There is nothing here.");
    if (!admitted) throw new PagewireError("token-required", "Sign in first, with: npx pagewire open");
    return answer({ request, admitted, name: decode(name ?? "") });
  }

  return {
    async serve(request, response, { admitted }) {
      const answer = await answerTo(request, admitted);
      if (answer === undefined) respondNothing(response);
      else respondText(response, { text: JSON.stringify(answer), type: "application/json" });
    },
  };
}

const notSignedIn =
  "Only who signed in with a code can sign out. The token of all agents is made anew with: npx pagewire token rotate";

async function readSignIn(
  request: IncomingMessage,
  { headerBytes }: Limits,
): Promise<{ readonly code: string; readonly key: string | undefined }> {
  checkJson(request, "The code");
  const body = await readBody(request, headerBytes, { limit: "headerBytes" });
  const { code, key } = parseJsonObject(body.toString(), 1) ?? {};
  const isKey = key === undefined || (typeof key === "string" && isPageKey(key));
  if (typeof code === "string" && isKey) return { code, key };
  throw new PagewireError(
    "request-malformed",
    'The body must be a JSON object with the code, { "code": "…" }, and may have the "key" that the page signs with: a point of P-256 in base64url.',
  );
}

/** The origin that a code is for; undefined for the hub's own pages, which is the default. */
async function readOrigin(request: IncomingMessage, { headerBytes }: Limits): Promise<string | undefined> {
  const body = await readBody(request, headerBytes, { limit: "headerBytes" });
  if (body.length === 0) return undefined;
  checkJson(request, "The origin");
  const asked = parseJsonObject(body.toString(), 1);
  const origin = asked?.["origin"];
  if (asked && (origin === undefined || isOrigin(origin))) return origin;
  throw new PagewireError(
    "request-malformed",
    'The body must be empty, or a JSON object with an origin: { "origin": "https://app.example.com" }.',
  );
}

/** The tool in question. */
async function readChoice(request: IncomingMessage, { headerBytes }: Limits): Promise<PinChoice> {
  checkJson(request, "The tools");
  const { origin, name } =
    parseJsonObject((await readBody(request, headerBytes, { limit: "headerBytes" })).toString(), 1) ?? {};
  if (isOrigin(origin) && (name === undefined || typeof name === "string")) return { origin, name };
  const form = 'The body must be a JSON object: { "origin": "https://app.example.com", "name": "a_tool" }.';
  throw new PagewireError("request-malformed", form);
}

/**
 * The hub's URL as the client knows it; the guard has checked the host. Only a proxy can add TLS, and it says so in a
 * header.
 */
function addressIn({ headers }: IncomingMessage): string {
  const scheme = headers["x-forwarded-proto"] === "https" ? "https" : "http";
  return `${scheme}://${headers.host ?? ""}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PagewireError("request-malformed", "The name in the path is not percent-encoded UTF-8.");
  }
}
