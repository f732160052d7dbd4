import { hubAddress } from "./hub-address.ts";

/** Where a hub takes agents, from the hub's own address. */
export function socketAddress(url: string): string {
  return `${hubAddress(url).replace("http", "ws")}/agent`;
}
