import { PagewireError } from "pagewire/wire";
import type { ErrorCode } from "pagewire/wire";
import type { HubQuestion } from "./ask-hub.ts";
import type { SessionParts } from "./open-session.ts";
import { tokenKey } from "./open-session.ts";

export const info = {
  version: "1.0.0",
  mode: "local",
  principal: "me",
  model: { provider: "rehearsal", models: ["rehearsal"], isRehearsal: true },
  parentOrigins: ["http://app.test"],
  demo: null,
  terminals: false,
} as const;

/**
 * A hub with codes and tokens, and a browser with or without storage. `switches` is the user's answer to switching
 * users.
 */
export function createFakeHub({ keeps = true, switches = true, isTeams = false } = {}) {
  /** The user of each token. */
  const tokens = new Map<string, string>();
  /** By code: the token that it becomes. */
  const codes = new Map<string, string>();
  const asked: string[] = [];
  const kept = new Map<string, string>();
  const listeners = new Set<(token: string | undefined) => void>();
  let isUp = true;
  let cookie: string | undefined;
  let leave = () => {};

  async function ask({ method, path, body, token }: HubQuestion): Promise<unknown> {
    asked.push(`${method} ${path}`);
    if (!isUp) throw new PagewireError("hub-unreachable", "The hub does not answer.");
    if (path === "/api/sign-in") return signIn(String(Object(body).code));
    const principal = tokens.get(token ?? "");
    if (principal === undefined) throw refusal("token-invalid");
    if (path === "/api/sign-out") {
      tokens.delete(token ?? "");
      return isTeams ? { ok: true, logout: "https://id.test/logout" } : undefined;
    }
    if (path === "/api/team/me")
      return { principal, organisation: "acme", name: `Name of ${principal}`, isAdmin: true };
    return path === "/api/app" ? { ...info, principal, ...(isTeams && { mode: "team" }) } : { of: principal };
  }

  function signIn(code: string): { token: string } {
    const token = codes.get(code);
    codes.delete(code);
    if (token === undefined) throw refusal("code-invalid");
    return { token };
  }

  const parts: SessionParts = {
    ask,
    bearer: async (token) => token,
    storage: {
      read: (name) => kept.get(name),
      write(name, text) {
        if (text === undefined) kept.delete(name);
        else if (keeps) kept.set(name, text);
        return keeps;
      },
    },
    onElsewhere(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async maySwitch(from, to) {
      asked.push(`${from} or ${to}?`);
      return switches;
    },
    resume: async () => cookie,
    async askAgain() {
      asked.push("sign in again?");
      await new Promise<void>((resolve) => (leave = resolve));
    },
    leave: (address) => void asked.push(`leave for ${address}`),
  };

  return {
    parts,
    tokens,
    codes,
    asked,
    get token() {
      return kept.get(tokenKey);
    },
    listeners,
    /** Signs in, as a person who came back from an identity provider. */
    setCookie: (token: string) => (cookie = token),
    leave: () => leave(),
    down: () => (isUp = false),
    up: () => (isUp = true),
    /** As another tab writes it. */
    writeElsewhere(token: string | undefined) {
      if (token === undefined) kept.delete(tokenKey);
      else kept.set(tokenKey, token);
      for (const listener of listeners) listener(token);
    },
    keep: (token: string) => kept.set(tokenKey, token),
  };
}

function refusal(code: ErrorCode): PagewireError {
  return new PagewireError(code, `Refused: ${code}`);
}
