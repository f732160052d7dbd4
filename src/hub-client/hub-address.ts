import { PagewireError, parseUrl } from "../wire/index.ts";

/** A hub's address without a trailing slash, with the scheme for requests even if it was written with that of sockets. */
export function hubAddress(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === undefined || !/^(http|ws)s?:$/.test(parsed.protocol) || parsed.username + parsed.password !== "") {
    const message = `${JSON.stringify(url)} is not the address of a hub. Write it like this: "http://127.0.0.1:7337".`;
    throw new PagewireError("options-invalid", message);
  }
  return `${parsed.protocol.replace("ws", "http")}//${parsed.host}${parsed.pathname.replace(/\/$/, "")}`;
}
