// The way of a person's browser to the identity provider and back, which ends with the cookie of a sign-in.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { Audit } from "../../audit/audit.ts";
import { pathOf } from "../../http/exchange.ts";
import { respondRedirect } from "../../http/respond.ts";
import type { Access } from "../people/access.ts";
import type { People } from "../people/people.ts";
import { readClaims } from "../people/read-claims.ts";
import type { Seal } from "../../common/seal.ts";
import { Shares } from "../../common/shares.ts";
import type { Once } from "./back-channel.ts";
import { clearCookie, flowCookie, readCookie, sessionCookie, setCookie } from "../../http/cookies.ts";
import { flowTime, openFlow, sealFlow } from "./flow.ts";
import type { Flow } from "./flow.ts";
import type { Identity, IdentityClient } from "./identity-client.ts";
import { addressOf } from "./returning.ts";
import type { SignIns } from "./sign-ins.ts";

export interface FlowsOptions {
  readonly clients: ReadonlyMap<string, IdentityClient>;
  readonly signIns: SignIns;
  readonly people: People;
  readonly access: Pick<Access, "isBlocked">;
  readonly seal: Seal;
  readonly once: Once;
  /** The hub's public address. */
  readonly url: string;
  readonly now: () => number;
  readonly record: Audit["record"];
  readonly clientOf: (request: IncomingMessage) => string;
}

const callbackPath = "/sign-in/callback";
const userAgentMost = 200;

export class Flows {
  readonly #options: FlowsOptions;
  readonly #visits = new Shares({ refusal: tooMany });

  constructor(options: FlowsOptions) {
    this.#options = options;
  }

  /** Sends a browser to the provider. The flow is in a cookie, and the browser has one flow at a time. */
  async begin(client: IdentityClient, response: ServerResponse, returnTo: string | null): Promise<void> {
    const { url, seal, now } = this.#options;
    const callback = await this.#callbackOf(client);
    const { url: to, ...secrets } = await client.begin(callback);
    const flow = {
      ...{ ...secrets, callback, provider: client.provider.name },
      ...{ returnTo: addressOf(returnTo, url), expiresAt: now() + flowTime },
    };
    response.setHeader("Set-Cookie", setCookie(flowCookie, sealFlow(seal, flow), flowTime / 1000));
    respondRedirect(response, to);
  }

  /** Takes a browser back that began here: signs its person in. */
  async finish(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clients, once, clientOf } = this.#options;
    const { flow, back } = this.#flowOf(request);
    const client = clients.get(flow.provider);
    if (!client) throw notBegun();
    response.setHeader("Set-Cookie", clearCookie(flowCookie));
    const identity = await this.#visits.run(clientOf(request), () => client.finish(back, flow));
    // A provider must not take a code twice; a hub does not take its own flow twice.
    if (!(await once.take(`sign-in ${flow.state}`))) throw notBegun();
    const person = await this.#admit(client, identity);
    await this.#endBefore(request);
    const { cookie, signIn } = await this.#options.signIns.begin({
      ...{ principal: person, provider: flow.provider, subject: identity.subject, tokens: identity.tokens },
      ...(identity.sid !== undefined && { sid: identity.sid }),
      ...browserOf(request),
    });
    const seconds = (signIn.expiresAt - this.#options.now()) / 1000;
    response.setHeader("Set-Cookie", [clearCookie(flowCookie), setCookie(sessionCookie, cookie, seconds)]);
    respondRedirect(response, flow.returnTo);
  }

  /**
   * If a provider does not name itself on the way back, one of several could send a browser with another's code: then each
   * has a way back of its own.
   */
  async #callbackOf(client: IdentityClient): Promise<string> {
    const { url, clients } = this.#options;
    const isSure = clients.size === 1 || (await client.namesItself());
    return `${url}${callbackPath}${isSure ? "" : `/${client.provider.name}`}`;
  }

  #flowOf(request: IncomingMessage): { readonly flow: Flow; readonly back: URL } {
    const { seal, now, url } = this.#options;
    const flow = openFlow(seal, readCookie(request, flowCookie), now());
    const back = new URL(request.url ?? "/", url);
    const isBack = flow !== undefined && `${url}${pathOf(request)}` === flow.callback;
    const states = back.searchParams.getAll("state");
    if (!isBack || states.length !== 1 || states[0] !== flow.state) throw notBegun();
    return { flow, back };
  }

  /** The principal; throws for a person who may not use the hub. */
  async #admit({ provider }: IdentityClient, { claims }: Identity): Promise<string> {
    const { people, access, record, now } = this.#options;
    const { principal, ...known } = readClaims(provider, claims);
    const { isMember } = known;
    await people.note(principal, known, now());
    if (isMember && !access.isBlocked(principal)) return principal;
    record({ kind: "sign-in", principal, name: provider.name, outcome: "refused", decidedBy: "claims" });
    throw new PagewireError(
      "option-refused",
      isMember
        ? "You were blocked at this hub."
        : "You are in none of the groups that may use this hub. Ask those who run it, or sign in as somebody else.",
    );
  }

  /** A browser that signs in again, perhaps as another person, is not signed in as before. */
  async #endBefore(request: IncomingMessage): Promise<void> {
    const { signIns } = this.#options;
    const before = await signIns.find(readCookie(request, sessionCookie));
    if (before) await signIns.end(before, "user").catch(() => {});
  }
}

function browserOf({ headers }: IncomingMessage): { readonly browser?: string } {
  const { "user-agent": browser } = headers;
  return browser === undefined ? {} : { browser: browser.slice(0, userAgentMost) };
}

function notBegun(): PagewireError {
  return new PagewireError(
    "code-invalid",
    "This sign-in did not begin in this browser, or it began too long ago, or it was used before.",
  );
}

function tooMany(): PagewireError {
  return new PagewireError("requests-too-many", "Too many people sign in at the moment.", { retryAfter: 1000 });
}
