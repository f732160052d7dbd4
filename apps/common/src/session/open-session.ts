// The page's sign-in: a code becomes a token, which all tabs of the browser share until one of them signs out or the
// hub revokes it. Independent of the page's user interface.
import { PagewireError } from "pagewire/wire";
import type { SafeStorage } from "../safe-storage.ts";
import type { AskHub, Method } from "./ask-hub.ts";
import { isRefused } from "./is-refused.ts";
import type { AppInfo, HubModel, Me, Session } from "./session.ts";

export const tokenKey = "pagewire.app-token";

/** How long the browser may take to notify this tab of another tab's changes, in ms. */
const newsTime = 1000;

export interface LiveSession extends Session {
  /** False if the browser stores nothing for this page: the next load starts signed out. */
  readonly isKept: boolean;
  /** Asks the hub for its current information, and whether this user is still signed in. */
  refresh(): Promise<AppInfo>;
  /** Resolves with why the user is not signed in any more. */
  readonly ended: Promise<PagewireError>;
  close(): void;
}

export interface SessionParts {
  readonly ask: AskHub;
  /** The credential for a new connection with a token. */
  bearer(token: string): Promise<string>;
  readonly storage: SafeStorage;
  /** Calls back when another tab wrote the token, or with undefined removed it; returns a function that stops it. */
  onElsewhere(listener: (token: string | undefined) => void): () => void;
  /** Asks the signed-in user whether to switch to another user. */
  maySwitch(from: string, to: string): Promise<boolean>;
  /** A token for a person whom the hub knows by its cookie, at a hub of a team; undefined for others. */
  resume(): Promise<string | undefined>;
  /** At a hub of a team: asks the person whose sign-in has ended to sign in again in another tab, and resolves if they do not want to. */
  askAgain(problem: PagewireError, over: AbortSignal): Promise<void>;
  /** Goes to an address of the identity provider. */
  leave(address: string): void;
}

/** Signs in with the code, if there is one, else with the stored token. Rejects if neither works. */
export async function openSession(code: string | undefined, parts: SessionParts): Promise<LiveSession> {
  const { ask, storage, resume } = parts;
  const known = storage.read(tokenKey);
  let wrongCode: PagewireError | undefined;
  const fresh =
    code === undefined
      ? undefined
      : await exchange(code, ask).catch((error: unknown) => {
          // It does not affect a signed-in user.
          if (known === undefined || !isRefused(error)) throw error;
          wrongCode = error;
          return undefined;
        });
  const token = fresh !== undefined && known !== undefined ? await choose(known, fresh, parts) : (fresh ?? known);
  try {
    if (token === undefined) throw new PagewireError("token-required", "You are not signed in.");
    return await begin(token);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const resumed = await resume();
    if (resumed !== undefined) return await begin(resumed);
    if (token !== undefined && storage.read(tokenKey) === token) storage.write(tokenKey, undefined);
    throw wrongCode ?? error;
  }

  async function begin(given: string): Promise<LiveSession> {
    const isKept = given === known || storage.write(tokenKey, given);
    return createSession({ token: given, info: await readInfo(withToken(ask, given)), isKept }, parts);
  }
}

type Read = (path: string) => Promise<unknown>;

function withToken(ask: AskHub, token: string): Read {
  return (path) => ask({ method: "GET", path, token });
}

async function readInfo(read: Read): Promise<AppInfo> {
  const info = parseAppInfo(await read("/api/app"));
  if (info.mode !== "team") return info;
  return { ...info, me: parseMe(await read("/api/team/me"), info.principal) };
}

/**
 * Chooses between two sign-ins, and ends the other. Any page can link here with its own code: another user could then
 * read this user's conversations, so this user must agree.
 */
async function choose(known: string, fresh: string, { ask, maySwitch }: SessionParts): Promise<string> {
  const principalOf = async (token: string) => (await readInfo(withToken(ask, token))).principal;
  const next = await principalOf(fresh);
  const now = await principalOf(known).catch((error: unknown) => {
    if (isRefused(error)) return next;
    throw error;
  });
  const isTaken = now === next || (await maySwitch(now, next));
  void ask({ method: "POST", path: "/api/sign-out", token: isTaken ? known : fresh }).catch(() => {});
  return isTaken ? fresh : known;
}

async function exchange(code: string, ask: AskHub): Promise<string> {
  const answer = await ask({ method: "POST", path: "/api/sign-in", body: { code } });
  const { token } = Object(answer) as { token?: unknown };
  if (typeof token === "string") return token;
  throw new PagewireError("internal-error", "The hub took the code and gave no token for it.");
}

interface Begun {
  readonly token: string;
  readonly info: AppInfo;
  readonly isKept: boolean;
}

function createSession(begun: Begun, { ask, bearer, storage, onElsewhere, ...parts }: SessionParts): LiveSession {
  let { token, info } = begun;
  let isLeaving = false;
  const again = onceAtATime(parts.askAgain);
  let finish: (why: PagewireError) => void = () => {};
  const ended = new Promise<PagewireError>((resolve) => (finish = resolve));
  const stop = onElsewhere((written) => void follow(written));

  function end(why: PagewireError): void {
    stop();
    again.stop();
    finish(why);
  }

  /** Another tab signed in again: this page continues for the same user, and shows nothing to another one. */
  async function follow(written: string | undefined): Promise<void> {
    if (written === token) return;
    if (written === undefined && again.isOpen()) return;
    if (written === undefined) return end(new PagewireError("token-required", "You signed out in another tab."));
    try {
      const next = await readInfo(withToken(ask, written));
      if (next.principal !== info.principal) {
        return end(new PagewireError("token-required", `Another tab signed in as ${next.principal}.`));
      }
      token = written;
      info = next;
      again.stop();
    } catch (error) {
      if (isRefused(error)) end(error);
    }
  }

  /** Applies another tab's changes, in case the hub's refusal arrived before the browser's notification. */
  async function catchUp(): Promise<void> {
    if (storage.read(tokenKey) === token) await nextNews(onElsewhere);
    const kept = storage.read(tokenKey);
    if (kept !== token && !isLeaving) await follow(kept);
  }

  async function asUser(method: Method, path: string, body?: object | string): Promise<unknown> {
    const used = token;
    try {
      return await ask({ method, path, body, token: used });
    } catch (error) {
      if (!isRefused(error) || isLeaving) throw error;
      if (begun.isKept) await catchUp();
      if (isLeaving) throw error;
      if (token === used && begun.isKept && info.me) await again.ask(error);
      if (token !== used) return await asUser(method, path, body);
      end(error);
      throw error;
    }
  }

  return {
    bearer: () => bearer(token),
    get info() {
      return info;
    },
    isKept: begun.isKept,
    ended,
    request: asUser,
    async refresh() {
      info = await readInfo((path) => asUser("GET", path));
      return info;
    },
    async signOut() {
      let why = new PagewireError("token-required", "You signed out.");
      isLeaving = true;
      // First here, so that other tabs learn of it from this one, and not from the hub's refusals.
      storage.write(tokenKey, undefined);
      try {
        const { logout } = Object(await ask({ method: "POST", path: "/api/sign-out", token })) as { logout?: unknown };
        if (isText(logout)) parts.leave(logout);
      } catch (error) {
        if (!isRefused(error)) why = new PagewireError("hub-unreachable", signedOutBut(error), { cause: error });
      }
      end(why);
    },
    close: stop,
  };
}

/** Asks until it is stopped. The page stays as it is meanwhile, with all that was typed. */
function onceAtATime(askAgain: SessionParts["askAgain"]) {
  let asking: { readonly done: Promise<void>; readonly over: AbortController } | undefined;

  function begin(why: PagewireError): Promise<void> {
    const over = new AbortController();
    const stopped = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
    const done = Promise.race([askAgain(why, over.signal), stopped]).finally(() => {
      over.abort();
      asking = undefined;
    });
    asking = { done, over };
    return done;
  }

  return {
    isOpen: () => asking !== undefined,
    ask: (why: PagewireError) => asking?.done ?? begin(why),
    stop: () => asking?.over.abort(),
  };
}

/** Resolves when another tab has written, or after the time in which its storage event arrives. */
async function nextNews(onElsewhere: SessionParts["onElsewhere"]): Promise<void> {
  let stop = (): void => {};
  const news = new Promise<void>((resolve) => (stop = onElsewhere(() => resolve())));
  const time = new Promise<void>((resolve) => setTimeout(resolve, newsTime));
  await Promise.race([news, time]);
  stop();
}

/** The message for a sign-out that failed at the hub. */
function signedOutBut(error: unknown): string {
  if (PagewireError.isInstance(error) && error.code === "not-saved") return `You signed out. ${error.message}`;
  return "You signed out here. The hub could not be reached: npx pagewire token rotate ends it there, too.";
}

/** Parses the hub's description of itself; throws where it is malformed. */
export function parseAppInfo(value: unknown): AppInfo {
  const { version, mode, principal, model, parentOrigins, demo, terminals } = Object(value) as Record<string, unknown>;
  const isMode = mode === "local" || mode === "jwt" || mode === "team";
  if (!isText(version) || !isMode || !isText(principal) || !isTexts(parentOrigins)) {
    throw new PagewireError("internal-error", "The hub did not say who it is. Reload this page: it may be newer.");
  }
  return {
    version,
    mode,
    principal,
    model: parseModel(model),
    parentOrigins,
    demo: isText(demo) ? demo : null,
    terminals: terminals === true,
  };
}

function parseMe(value: unknown, principal: string): Me {
  const { organisation, name, email, isAdmin, scopes } = Object(value) as Record<string, unknown>;
  const mayGovern = isAdmin === true && (!isTexts(scopes) || scopes.includes("admin"));
  return {
    organisation: isText(organisation) ? organisation : "",
    name: isText(name) ? name : isText(email) ? email : principal,
    isAdmin: mayGovern,
  };
}

function parseModel(value: unknown): HubModel | null {
  const { provider, models, isRehearsal } = Object(value) as Record<string, unknown>;
  return isText(provider) && isTexts(models) ? { provider, models, isRehearsal: isRehearsal === true } : null;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}
