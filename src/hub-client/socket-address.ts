import { PagewireError } from "../wire/index.ts";

/** Where a hub takes agents, from the hub's own address. */
export function socketAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^(http|ws)s?:$/.test(parsed.protocol) || parsed.username + parsed.password !== "") {
    throw new PagewireError(
      "options-invalid",
      `${JSON.stringify(url)} is not the address of a hub. Write it like this: "http://127.0.0.1:7337".`,
    );
  }
  return `${parsed.protocol.replace("http", "ws")}//${parsed.host}${parsed.pathname.replace(/\/$/, "")}/agent`;
}
