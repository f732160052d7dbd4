// People sign in at a hub of a team behind deploy/nginx.conf, which has the certificate, and behind proxies that are set up wrongly.
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { startHub } from "../../src/hub/test-support/hub.test-helper.ts";
import { openBrowser } from "../../src/hub/team/test-support/browser.test-helper.ts";
import {
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startIdentityProvider,
  teamOf,
} from "../../src/hub/team/test-support/team-hub.test-helper.ts";
import { spawnOwned } from "../e2e/support/processes.ts";
import { waitUntil } from "../e2e/support/wait.ts";
import { certificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { readDeployed } from "./support/deploy-files.ts";

const site = "https://127.0.0.1";

/** A hub in clear with a proxy before it; the proxy's configuration is changed by `edit`. */
async function startBehindProxy(edit: (text: string, hub: number) => string = (text) => text) {
  const [https, http] = [await freePort(), await freePort()];
  const provider = await startIdentityProvider();
  const hub = await startHub({
    ...{ proxies: ["127.0.0.1"], publicHosts: [`127.0.0.1:${https}`] },
    team: teamOf([optionsFor(provider)]),
  });
  const url = `https://127.0.0.1:${https}`;
  await registerHub(provider, [url]);
  await startProxy({ https, http, hub: hub.port, edit });
  return { hub, provider, url, https };
}

interface ProxyOptions {
  readonly https: number;
  readonly http: number;
  readonly hub: number;
  readonly edit: (text: string, hub: number) => string;
}

async function startProxy({ https, http, hub, edit }: ProxyOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-proxy-"));
  // nginx's workers are another user's.
  chmodSync(folder, 0o711);
  writeFileSync(join(folder, "hub.pem"), certificate.cert);
  writeFileSync(join(folder, "hub.key"), certificate.key);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const places: readonly (readonly [there: string, here: string])[] = [
    ["server hub-1:7337 max_fails=0;\n", `server 127.0.0.1:${hub} max_fails=0;\n`],
    ["server hub-2:7337 max_fails=0;\n", ""],
    ["server hub-3:7337 max_fails=0;\n", ""],
    ["listen 443 ssl;", `listen 127.0.0.1:${https} ssl;`],
    ["listen 80;", `listen 127.0.0.1:${http};`],
    ["/etc/nginx/tls", folder],
    ["/tmp/nginx.pid", join(folder, "nginx.pid")],
    ["\nhttp {", `\nhttp {${temporary.map((each) => `\n${each}_temp_path ${join(folder, each)};`).join("")}`],
  ];
  const text = places.reduce((whole, [there, here]) => whole.replaceAll(there, here), readDeployed("nginx.conf"));
  writeFileSync(join(folder, "nginx.conf"), edit(text, hub));
  const args = ["-e", "stderr", "-g", "daemon off;", "-c", join(folder, "nginx.conf")];
  const proxy = await spawnOwned("nginx", args, { folder });
  onTestFinished(async () => {
    proxy.signal("SIGKILL");
    await proxy.exited;
    rmSync(folder, { recursive: true, force: true });
  });
  const answers = () =>
    openBrowser()
      .send(`https://127.0.0.1:${https}/healthz`)
      .then(
        () => true,
        () => false,
      );
  await waitUntil(answers, () => `The proxy does not answer: ${proxy.output()}`);
}

const forged = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http", "X-Forwarded-For": "192.0.2.1" };

test("OI1, OI2: behind deploy/nginx.conf people sign in at its address, and out; what a client forwards counts nothing", async () => {
  const { provider, url, hub } = await startBehindProxy();
  const begun = await openBrowser().send(`${url}/sign-in?provider=acme`, { headers: forged });
  const to = new URL(begun.headers.get("location") ?? "");
  expect([to.origin, to.searchParams.get("redirect_uri")]).toEqual([provider.issuer, `${url}/sign-in/callback`]);
  const browser = openBrowser();
  await signInWith(browser, url);
  expect([...(browser.cookies.get(site)?.keys() ?? [])]).toEqual(["__Host-pagewire"]);
  const page = await openPage(browser, url);
  const { body } = await browser.ask(url, "GET /api/app", { token: await page.bearer() });
  expect(body).toMatchObject({ principal: "acme/ada" });
  const out = await browser.ask(url, "POST /api/sign-out", { token: await page.bearer() });
  const { logout } = out.body as { readonly logout: string };
  expect(new URL(logout).searchParams.get("post_logout_redirect_uri")).toBe(`${url}/`);
  // At the hub's own port a browser is sent to the public address.
  const direct = await openBrowser().send(`${hub.url}/sign-in?provider=acme`);
  expect(direct.headers.get("location")).toMatch(new RegExp(`^${url}/sign-in\\?provider=acme`));
});

test("OI20: behind a proxy that hides the name of the hub, the way ends at a page that says so", async () => {
  const { url, hub } = await startBehindProxy((text, port) =>
    text
      .replace("proxy_pass http://hubs;", `proxy_pass http://127.0.0.1:${port};`)
      .replaceAll(/proxy_set_header \S*Host .*/g, ""),
  );
  const { status, text } = await openBrowser().go(`${url}/sign-in?provider=acme&returnTo=/console`);
  expect([status, text]).toEqual([421, expect.stringContaining("The proxy in between must forward the Host header")]);
  expect(text).toContain(`&quot;127.0.0.1:${hub.port}&quot;`);
});

test("a request without a Host, or with another's, is refused, and sent nowhere", async () => {
  const { https } = await startBehindProxy();
  const hosts = ["Host: evil.example\r\n", `Host: 127.0.0.1:${https}.evil.example\r\n`, ""];
  for (const host of hosts) {
    const socket = connect({ host: "127.0.0.1", port: https, ca: certificate.cert });
    socket.write(`GET /sign-in?provider=acme HTTP/1.0\r\n${host}\r\n`);
    const chunks: string[] = [];
    socket.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
    await once(socket, "close");
    expect(chunks.join(""), host).toMatch(/^HTTP\/1\.\d 421 /);
    expect(chunks.join(""), host).not.toMatch(/^location:/im);
  }
});

test("behind a proxy that passes on what clients forward, a forged name is refused", async () => {
  const { url } = await startBehindProxy((text) => text.replaceAll(/proxy_set_header X-Forwarded-Host .*/g, ""));
  const { status, headers } = await openBrowser().send(`${url}/sign-in?provider=acme`, { headers: forged });
  expect([status, headers.get("location")]).toEqual([421, null]);
  await signInWith(openBrowser(), url);
});
