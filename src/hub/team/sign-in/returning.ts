import type { IncomingMessage } from "node:http";
import { parseUrl } from "../../../wire/index.ts";
import { findRoute } from "../../http/routes.ts";

const longest = 2000;

/** The address of one of the hub's own pages; the home page for a text that is no path of one. */
export function addressOf(path: string | null, hub: string): string {
  const home = `${hub}/`;
  if (path === null || path.length > longest || !/^\/[\x21-\x7e]*$/.test(path)) return home;
  const url = parseUrl(path, home);
  return url?.origin === hub && isPage(url.pathname) ? url.href : home;
}

function isPage(path: string): boolean {
  try {
    return findRoute({ method: "GET", url: path } as IncomingMessage).serves === "files";
  } catch {
    return false;
  }
}
