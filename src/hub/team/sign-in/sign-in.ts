// Sign-in for people by OpenID Connect, for the hub's own pages: what a hub in team mode has of it.
import type { IncomingMessage } from "node:http";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { Limits, OnOver } from "../../../wire/index.ts";
import type { Audit } from "../../audit/audit.ts";
import type { RootCredentials } from "../../guard/root-credentials.ts";
import type { Note } from "../../common/log.ts";
import type { Admitted, Holder } from "../../identity/admitted.ts";
import type { ResolvedOptions } from "../../options/options.ts";
import type { Provider } from "../../options/team-options.ts";
import type { Report } from "../../common/report.ts";
import type { HomeStore, Later, RecordStore } from "../../store/index.ts";
import type { Access } from "../people/access.ts";
import type { People } from "../people/people.ts";
import { createSeal } from "../../common/seal.ts";
import { createOnce } from "./back-channel.ts";
import { Flows } from "./flows.ts";
import { FreshClaims, roundTime } from "./fresh-claims.ts";
import { IdentityClient } from "./identity-client.ts";
import { reasonOf } from "../tokens/identity-error.ts";
import { createSignInDoor } from "./sign-in-door.ts";
import type { SignInDoor, SignInDoorOptions } from "./sign-in-door.ts";
import { signInIdOf } from "./sign-in-records.ts";
import { SignIns } from "./sign-ins.ts";

export interface SignInParts {
  readonly options: Pick<ResolvedOptions, "tls" | "proxies" | "insecure">;
  readonly providers: readonly Provider[];
  /** The hub's public address. */
  readonly url: string;
  readonly people: People;
  readonly access: Access;
  readonly key: Buffer;
  readonly store: RecordStore & { readonly homes: HomeStore };
  readonly later: Later;
  readonly limits: Limits;
  readonly note: Note;
  readonly record: Audit["record"];
  readonly onOver: OnOver;
  readonly report: Report;
  readonly clientOf: (request: IncomingMessage) => string;
  readonly forwardedHost: SignInDoorOptions["forwardedHost"];
  /** Called when a sign-in has ended, and before each round: what is open then is in use. */
  readonly review: () => void;
  readonly onNotSaved: () => void;
}

export interface SignInOfPeople {
  readonly signIns: SignIns;
  /** Loads what a credential rests on; throws if that has ended. */
  use(admitted: Admitted): Promise<void>;
  /** Part of a derived credential's fingerprint. */
  markOf(holder: Holder): string;
  /** Ends the sign-in that a page's token rests on. Resolves with the address to sign out at the provider, if there is one. */
  signOut(admitted: Admitted): Promise<string | undefined>;
  createDoor(appSessions: SignInDoorOptions["appSessions"]): SignInDoor;
  close(): void;
}

export function createSignIn(parts: SignInParts): SignInOfPeople {
  const { options, providers, url, key, store, note, review } = parts;
  const now = Date.now;
  const seal = createSeal(key);
  const named = hasCookies(options, url) ? providers.flatMap((each) => clientFor(each, now)) : [];
  const clients = new Map(named.map((client) => [client.provider.name, client]));
  const signIns = new SignIns({ ...parts, seal, now, onEnded: review });
  const fresh = new FreshClaims({ ...parts, signIns, clients, now });
  const once = createOnce(store.homes);
  const flows = new Flows({ ...parts, clients, signIns, seal, once, now });
  // A wrong issuer or certificate is in the log before the first person comes.
  for (const client of clients.values())
    void client.check().catch((error: unknown) => {
      note("warn", "identity-unavailable", { provider: client.provider.name, message: reasonOf(error) });
    });
  const timer = setInterval(() => {
    void round().catch((error: unknown) => note("warn", "claims-not-checked", { message: messageOf(error) }));
  }, roundTime).unref();

  async function round(): Promise<void> {
    review();
    await fresh.round();
  }

  return {
    signIns,
    async use(admitted) {
      const id = signInIdOf(admitted);
      if (id === undefined) return;
      const signIn = await signIns.get(admitted.principal, id);
      if (signIn) await fresh.ensure(signIn);
      if (!signIn || signIns.hasEnded(admitted.principal, id)) throw ended();
    },
    markOf(holder) {
      const id = signInIdOf(holder);
      return id !== undefined && signIns.hasEnded(holder.principal, id) ? " ended" : "";
    },
    async signOut(admitted) {
      const signIn = await signIns.get(admitted.principal, signInIdOf(admitted) ?? "");
      if (!signIn) return undefined;
      await signIns.end(signIn, "user");
      const client = clients.get(signIn.provider);
      // The person is signed out here, whether the provider answers or not.
      return client?.logoutUrl(signIns.tokensOf(signIn), `${url}/`).catch(() => undefined);
    },
    createDoor: (appSessions) => createSignInDoor({ ...parts, ...{ clients, signIns, once, flows, appSessions } }),
    close: () => clearInterval(timer),
  };
}

/** Credentials of which those that rest on a sign-in end with it. */
export function withSignIns(
  base: RootCredentials,
  { use, markOf }: Pick<SignInOfPeople, "use" | "markOf">,
): RootCredentials {
  return {
    ...base,
    async page(origin, token) {
      const admitted = await base.page(origin, token);
      await use(admitted);
      return admitted;
    },
    root: (purpose, holder) => base.root(purpose, holder) + markOf(holder),
    isStillGood: (admitted, origin) => base.isStillGood(admitted, origin) && markOf(admitted) === "",
  };
}

/** Cookies are safe over https only: over http, those of one port of a machine are those of all its ports. */
function hasCookies({ tls, proxies, insecure }: SignInParts["options"], url: string): boolean {
  return url.startsWith("https://") && (tls !== undefined || proxies.length > 0 || !insecure);
}

function clientFor(provider: Provider, now: () => number): readonly IdentityClient[] {
  const { clientId } = provider;
  return clientId === undefined ? [] : [new IdentityClient({ ...provider, clientId }, now)];
}

function ended(): PagewireError {
  return new PagewireError("token-expired", "You are not signed in any more. Sign in again.");
}
