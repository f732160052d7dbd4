// Pages that the hub does not know, in a real Chromium: on another port, under another name, under a name that resolves to
// the hub since a moment ago, without an origin, from a file.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endTogether } from "../../support/end-together.ts";
import type { Browser } from "../support/chromium.ts";
import { servePages } from "../support/page-server.ts";
import type { PageServer } from "../support/page-server.ts";
import type { Tab } from "../support/tab.ts";

export interface ForeignPage {
  readonly kind: string;
  readonly tab: Tab;
  /** The address by which the page tries to reach the hub. */
  readonly hub: string;
}

export interface ForeignPages {
  readonly all: readonly ForeignPage[];
  /** The pages' server, with other pages. */
  readonly server: PageServer;
  close(): Promise<void>;
}

const html = "<!doctype html><title>Evil</title><iframe name='sink'></iframe>";
/** Another loopback address, on which the hub's port is free. */
const otherAddress = "127.0.0.2";

export const hostRules = `MAP rebound.test ${otherAddress}, MAP *.test 127.0.0.1`;

export async function openForeignPages(browser: Browser, hub: { url: string; port: number }): Promise<ForeignPages> {
  const sandbox = { "content-security-policy": "sandbox allow-scripts allow-forms allow-popups" };
  const server = await servePages({ "/": html, "/sandboxed": { body: html, headers: sandbox } });
  const folder = mkdtempSync(join(tmpdir(), "pagewire-file-"));
  const file = join(folder, "evil.html");
  writeFileSync(file, html);
  const rebinding = await startRebinding(server.port, hub.port);
  const addresses: Readonly<Record<string, string>> = {
    "another port": server.url(),
    "localhost, another port": `${server.originFor("localhost")}/`,
    "another name": `${server.originFor("evil.test")}/`,
    "a name like the allowed one's": `${server.originFor("shop.test.evil.test")}/`,
    "a sandbox": `${server.originFor("evil.test")}/sandboxed`,
    "a file": `file://${file}`,
    "a data: address": `data:text/html,${encodeURIComponent(html)}`,
  };
  const all: ForeignPage[] = [];
  for (const [kind, address] of Object.entries(addresses))
    all.push({ kind, tab: await browser.open(address), hub: hub.url });
  const rebound = `http://rebound.test:${hub.port}`;
  all.push({ kind: "a name that leads to the hub by now", tab: await browser.open(`${rebound}/`), hub: rebound });
  rebinding.rebind();
  return {
    all,
    server,
    async close() {
      await Promise.all([server.close(), rebinding.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** DNS rebinding: a name leads to the page's server first, then to the hub, and the browser sees one host and port. */
async function startRebinding(from: number, to: number) {
  let port = from;
  const sockets = new Set<Socket>();
  const cut = () => sockets.forEach((socket) => socket.destroy());
  const server: Server = createServer((socket) => {
    const onward = connect(port, "127.0.0.1");
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.once("close", () => sockets.delete(each));
    }
    endTogether(socket, onward);
    socket.pipe(onward).pipe(socket);
  }).listen(to, otherAddress);
  await once(server, "listening");
  return {
    rebind() {
      port = to;
      cut();
    },
    async close() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
