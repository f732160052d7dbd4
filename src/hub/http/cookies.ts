// The cookies of people who sign in to a hub of a team. `__Host-` binds each to the hub's own host over https; scripts never see them.
import type { IncomingMessage } from "node:http";

export const sessionCookie = "__Host-pagewire";
export const flowCookie = "__Host-pagewire-flow";

/** Undefined where there is none, or more than one. */
export function readCookie({ headers: { cookie = "" } }: IncomingMessage, name: string): string | undefined {
  const found = cookie.split(";").flatMap((each) => {
    const [key = "", ...value] = each.split("=");
    return key.trim() === name ? [value.join("=").trim()] : [];
  });
  return found.length === 1 && found[0] !== "" ? found[0] : undefined;
}

/** Lax: the way back from the provider is a navigation that another site began. */
export function setCookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${Math.max(0, Math.ceil(seconds))}; Secure; HttpOnly; SameSite=Lax`;
}

export function clearCookie(name: string): string {
  return setCookie(name, "", 0);
}
