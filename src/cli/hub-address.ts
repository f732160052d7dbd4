import { PagewireError } from "../wire/index.ts";

/** The address at which a hub answers requests, which may be written as that of its sockets; without a slash at its end. */
export function hubAddress(url: string): string {
  const text = url.replace(/^ws/, "http");
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed.origin + parsed.pathname.replace(/\/+$/, "");
  throw new PagewireError("options-invalid", `"${url}" is not the address of a hub.`);
}
