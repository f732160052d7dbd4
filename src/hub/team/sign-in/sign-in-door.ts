// The door by which people sign in and out in browsers, pages use their sign-ins, and providers report a logout.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError, parseJsonObject } from "../../../wire/index.ts";
import type { ErrorCode, Limits } from "../../../wire/index.ts";
import type { AppSessions } from "../../guard/app-sessions.ts";
import { checkJson, pathOf, readBody, retryHeaders } from "../../http/exchange.ts";
import { respondNothing, respondRedirect, respondText, statusOf } from "../../http/respond.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { checkIsPerson } from "../people/check-is-person.ts";
import { isPageKey } from "../../identity/page-keys.ts";
import type { Report } from "../../common/report.ts";
import { endByProvider } from "./back-channel.ts";
import type { BackChannelOptions } from "./back-channel.ts";
import { reasonOf } from "../tokens/identity-error.ts";
import { readCookie, sessionCookie } from "../../http/cookies.ts";
import type { Flows } from "./flows.ts";
import { respondPage } from "./pages.ts";
import { signInIdOf, tokenIdOf } from "./sign-in-records.ts";
import type { SignIn } from "./sign-in-records.ts";
import type { SignIns } from "./sign-ins.ts";

/** The guard's findings. */
interface Passed {
  readonly origin: string | undefined;
  readonly admitted?: Admitted;
}

export interface SignInDoor {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
}

export interface SignInDoorOptions extends BackChannelOptions {
  readonly signIns: SignIns;
  readonly flows: Flows;
  readonly appSessions: Pick<AppSessions, "open">;
  readonly limits: Limits;
  /** The hub's public address. */
  readonly url: string;
  readonly report: Report;
  /** The host that a browser named, if a proxy forwards it. */
  readonly forwardedHost: (request: IncomingMessage) => string | undefined;
}

type Serve = (request: IncomingMessage, response: ServerResponse, passed: Passed) => void | Promise<void>;

export function createSignInDoor(options: SignInDoorOptions): SignInDoor {
  const { clients, signIns, flows, limits, url, report, forwardedHost } = options;
  const providers = [...clients.values()].map(({ provider: { name, title } }) => ({ name, title }));

  async function begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    const name = searchParams.get("provider") ?? (providers.length === 1 ? providers[0]?.name : undefined);
    const returnTo = searchParams.get("returnTo");
    const client = clients.get(name ?? "");
    // Its cookies are the public host's. Where a proxy hides that one from the hub, the browser has been sent there already.
    const host = forwardedHost(request) ?? request.headers.host ?? "";
    if (host.toLowerCase() !== new URL(url).host)
      return respondRedirect(response, `${url}${pathname}?${sentOn(searchParams, host, url)}`);
    if (client) return flows.begin(client, response, returnTo);
    if (name !== undefined) throw new PagewireError("route-not-found", "There is no such identity provider here.");
    const suffix = returnTo === null ? "" : `&returnTo=${encodeURIComponent(returnTo)}`;
    const links = providers.map((each) => ({ text: each.title, to: `/sign-in?provider=${each.name}${suffix}` }));
    respondPage(response, { status: 200, title: "Sign in", text: "Sign in with:", links });
  }

  /** A person at a browser gets a page; what went wrong in detail is in the hub's log. */
  function forPeople(serve: Serve): Serve {
    return async (request, response, passed) => {
      try {
        if (request.method !== "GET")
          throw new PagewireError("method-not-allowed", "A sign-in is a navigation of a browser.");
        await serve(request, response, passed);
      } catch (error) {
        report(error, { request, route: pathOf(request), message: reasonOf(error) });
        respondFailure(response, error);
      }
    };
  }

  const backChannel: Serve = async (request, response) => {
    const body = await readBody(request, limits.headerBytes, { limit: "headerBytes" });
    const tokens = new URLSearchParams(body.toString()).getAll("logout_token");
    try {
      const [token] = tokens;
      if (token === undefined || tokens.length > 1)
        throw new PagewireError("token-invalid", "The body must have one logout_token, as a form has it.");
      await endByProvider(token, options);
      respondText(response, { text: "" });
    } catch (error) {
      if (!PagewireError.isInstance(error) || !invalid.includes(error.code)) throw error;
      report(error, { request, route: pathOf(request) });
      const text = JSON.stringify({ error: "invalid_request", error_description: error.message });
      respondText(response, { status: 400, text, type: "application/json" });
    }
  };

  const session: Serve = async (request, response, { origin }) => {
    const key = await readKey(request, limits);
    const signIn = await signIns.find(readCookie(request, sessionCookie));
    if (!signIn) throw new PagewireError("token-required", "You are not signed in. Sign in first.");
    const { principal, expiresAt: ends } = signIn;
    const { appSessions } = options;
    const holder = { principal, tokenId: tokenIdOf(signIn), expiresAt: ends };
    const { text: token, expiresAt } = await appSessions.open(holder, { use: "app", origin, key });
    respondJson(response, { token, expiresAt });
  };

  const list: Serve = async (_, response, { admitted }) => {
    if (admitted) checkIsPerson(admitted);
    const all = await signIns.list(admitted?.principal ?? "");
    respondJson(response, { sessions: all.map((each) => describe(each, admitted)) });
  };

  const remove: Serve = async (request, response, { admitted }) => {
    if (admitted) checkIsPerson(admitted);
    const id = pathOf(request).split("/").at(-1) ?? "";
    const found = await signIns.get(admitted?.principal ?? "", id);
    if (!found) throw new PagewireError("session-not-found", "There is no such sign-in of yours.");
    await signIns.end(found, "user");
    respondNothing(response);
  };

  const answers: Readonly<Record<string, Serve>> = {
    "GET /api/sign-in": (_, response) => respondJson(response, { providers }),
    "GET /sign-in": forPeople(begin),
    "GET /sign-in/callback": forPeople((request, response) => flows.finish(request, response)),
    "POST /sign-in/back-channel": backChannel,
    "POST /api/session": session,
    "GET /api/sessions": list,
    "DELETE /api/sessions/": remove,
  };

  return {
    async serve(request, response, passed) {
      const method = request.method === "HEAD" ? "GET" : request.method;
      const path = pathOf(request).replace(/^(\/sign-in\/callback)\/.*|^(\/api\/sessions\/).*/, "$1$2");
      const answer = answers[`${method} ${path}`];
      if (!answer) throw new PagewireError("route-not-found", "There is nothing here.");
      if (clients.size === 0 && isOfPeople.test(path)) throw new PagewireError("route-not-found", noSignIn);
      await answer(request, response, passed);
    },
  };
}

const isOfPeople = /^\/sign-in|^\/api\/session$/;
const noSignIn =
  "Nobody signs in here: that needs an identity provider with a clientId, and a public address of the hub with https.";

const invalid: readonly ErrorCode[] = ["token-invalid", "token-expired", "code-invalid"];

/** A sign-in, as its person and the admins of the organisation see it. */
function describe({ id, provider, browser, at, checkedAt, expiresAt }: SignIn, admitted?: Admitted) {
  const isCurrent = admitted !== undefined && signInIdOf(admitted) === id;
  return { id, provider, browser, at, checkedAt, expiresAt, ...(isCurrent && { isCurrent }) };
}

function respondJson(response: ServerResponse, value: object): void {
  respondText(response, { text: JSON.stringify(value), type: "application/json" });
}

/** In the address of a browser that was sent to the public one. */
const sentMark = "sent";

/** The query of a browser that is sent to the public address; throws if it has been sent there already. */
function sentOn(query: URLSearchParams, host: string, url: string): string {
  if (query.has(sentMark)) throw misnamed(host, url);
  return `${query.toString()}${query.size > 0 ? "&" : ""}${sentMark}=`;
}

function misnamed(host: string, url: string): PagewireError {
  const message = `Requests for ${new URL(url).host} come to the hub as ones for ${JSON.stringify(host)}. The proxy in between must forward the Host header, or X-Forwarded-Host, and --behind-proxy must name it.`;
  return new PagewireError("host-refused", message);
}

async function readKey(request: IncomingMessage, { headerBytes }: Limits): Promise<string> {
  checkJson(request, "The key");
  const body = await readBody(request, headerBytes, { limit: "headerBytes" });
  const key = parseJsonObject(body.toString(), 1)?.["key"];
  if (typeof key === "string" && isPageKey(key)) return key;
  throw new PagewireError(
    "request-malformed",
    'The body must be a JSON object with the "key" that the page signs with: a point of P-256 in base64url.',
  );
}

const titles: Partial<Record<ErrorCode, string>> = {
  "option-refused": "You may not use this hub",
  "identity-unavailable": "The identity provider does not answer",
  "host-refused": "A proxy hides the name of this hub",
};

function respondFailure(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { code, message, retryAfter } = PagewireError.isInstance(error)
    ? error
    : new PagewireError("internal-error", "Something failed inside the hub.");
  // Its message is for the hub's owner.
  const text =
    code === "identity-unavailable" ? "Try again in a moment. If it stays so, the hub's log has the reason." : message;
  respondPage(response, {
    ...{
      status: invalid.includes(code) ? 400 : statusOf(error),
      title: titles[code] ?? "You are not signed in",
      text,
    },
    links: [
      { text: "Sign in", to: "/sign-in" },
      { text: "Home", to: "/" },
    ],
    headers: retryHeaders(retryAfter),
  });
}
