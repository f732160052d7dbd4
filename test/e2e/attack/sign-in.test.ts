// The way of a browser to an identity provider and back, which others try to enter, and what its cookie opens elsewhere.
import { test } from "vitest";
import { openBrowser } from "../../../src/hub/team/test-support/browser.test-helper.ts";
import type { TestBrowser } from "../../../src/hub/team/test-support/browser.test-helper.ts";
import { makeKey } from "../../../src/hub/test-support/page-key.test-helper.ts";
import { openPage, signInWith } from "../../../src/hub/team/test-support/team-hub.test-helper.ts";
import { appOrigin, besiegeTeam, isSignedIn, sessionCookie, site, wayBack } from "./besieged-team.test-helper.ts";
import { startTally } from "./tally.test-helper.ts";

type Change = (address: URL, theirs: URL) => void;

const set =
  (name: string, value: string): Change =>
  ({ searchParams }) =>
    searchParams.set(name, value);
const takeOf =
  (...names: readonly string[]): Change =>
  (address, theirs) => {
    for (const name of names) address.searchParams.set(name, theirs.searchParams.get(name) ?? "");
  };

/** The answer of a page that signed no one in. */
async function bring(browser: TestBrowser, address: URL): Promise<string> {
  const { status, headers } = await browser.send(address);
  if (isSignedIn(browser) || headers.get("location") !== null) return `signed in (${status})`;
  return status === 400 ? "refused" : `${status}`;
}

test("OI3, OI4: no way back of another browser, provider or time signs anybody in", async () => {
  const { hub, globex } = await besiegeTeam();
  const tally = startTally(
    "sign-in",
    "ways back with another's code, state or issuer, in another browser, without its cookie, or a second time",
    "refused",
  );
  const changes: Readonly<Record<string, Change>> = {
    "another provider's code": takeOf("code"),
    "another provider's code and issuer": takeOf("code", "iss"),
    "all of another provider's": takeOf("code", "iss", "state"),
    "another provider's issuer": takeOf("iss"),
    "an unknown issuer": set("iss", "https://evil.example"),
    "an issuer alike": (address) => address.searchParams.set("iss", `${address.searchParams.get("iss") ?? ""}/`),
    "no issuer": ({ searchParams }) => searchParams.delete("iss"),
    "two issuers": ({ searchParams }) => searchParams.append("iss", globex.issuer),
    "no state": ({ searchParams }) => searchParams.delete("state"),
    "an empty state": set("state", ""),
    "two states": ({ searchParams }) => searchParams.append("state", "x"),
    "another state": set("state", "x".repeat(43)),
    "no code": ({ searchParams }) => searchParams.delete("code"),
    "two codes": ({ searchParams }) => searchParams.append("code", "x"),
    "a forged code": set("code", "x".repeat(43)),
    "a code with a newline": set("code", "x\r\nSet-Cookie: a=b"),
    "an error beside the code": set("error", "access_denied"),
    "the address of another provider": (address) => (address.pathname += "/globex"),
    "the address of no provider": (address) => (address.pathname += "/__proto__"),
    "an id token beside the code": set("id_token", "e30.e30."),
    "an encrypted answer": set("response", "e30.e30."),
  };
  for (const [name, change] of Object.entries(changes)) {
    const browser = openBrowser();
    const back = await wayBack(browser, hub.url, "provider=acme");
    change(back, await wayBack(openBrowser(), hub.url, "provider=globex"));
    tally.add(name, await bring(browser, back));
  }

  const attacker = openBrowser();
  const back = await wayBack(attacker, hub.url, "provider=acme");
  const flow = new Map(attacker.cookies.get(site));
  tally.add("a victim without a flow", await bring(openBrowser(), back));
  const begun = openBrowser();
  await wayBack(begun, hub.url, "provider=acme");
  tally.add("a victim with a flow of its own", await bring(begun, back));
  for (const [name, cookie] of Object.entries({
    "a forged flow": "x".repeat(400),
    "a changed flow": [...flow.values()].join("").replace(/.$/, (last) => (last === "A" ? "B" : "A")),
    "an empty flow": "",
  })) {
    const forger = openBrowser();
    forger.cookies.set(site, new Map([...flow.keys()].map((key) => [key, cookie])));
    tally.add(name, await bring(forger, back));
  }
  await attacker.send(back);
  tally.add("the one whose it is", isSignedIn(attacker), true);
  for (const [name, cookies] of Object.entries({ "again, with the flow": flow, "again, without": new Map() })) {
    const again = openBrowser();
    again.cookies.set(site, new Map(cookies));
    tally.add(name, await bring(again, back));
  }
  tally.close();
});

test("OI6: no address to return to leads away from the hub", async () => {
  const { hub } = await besiegeTeam();
  const tally = startTally("sign-in", "addresses of other places to return to after a sign-in", "the hub's home");
  const evil = "evil.example";
  const all = [
    ...[
      `//${evil}`,
      `///${evil}`,
      `/\\${evil}`,
      `\\\\${evil}`,
      `/\\/${evil}`,
      `/.//${evil}`,
      `/..//${evil}`,
      `/%2e//${evil}`,
    ],
    ...[
      `https://${evil}/`,
      `https:${evil}`,
      `http:/${evil}`,
      `${hub.url}@${evil}/`,
      `${hub.url}.${evil}/`,
      "javascript:alert(1)",
    ],
    ...[
      `/\t/${evil}`,
      `/\n/${evil}`,
      `/\r\nLocation: https://${evil}`,
      `/\u0000/${evil}`,
      ` //${evil}`,
      `\u2028//${evil}`,
    ],
    ...[
      `/%2f${evil}`,
      `/%5c${evil}`,
      `/%0d%0aSet-Cookie:a=b`,
      `/；//${evil}`,
      "data:text/html,x",
      "/api/app",
      "/sign-in/callback",
    ],
  ];
  for (const returnTo of all) {
    const browser = openBrowser();
    const back = await wayBack(browser, hub.url, `provider=acme&returnTo=${encodeURIComponent(returnTo)}`);
    const to = (await browser.send(back)).headers.get("location");
    tally.add(JSON.stringify(returnTo), to === `${hub.url}/` ? "the hub's home" : to);
  }
  tally.close();
});

test("OI1, OI2, OI8: a cookie of a sign-in opens nothing but what it is for, and no cookie is one before a sign-in", async () => {
  const { hub } = await besiegeTeam();
  const tally = startTally(
    "sign-in",
    "fixed, planted and stolen cookies, and a true one at other places, in other names, or with another page's origin",
    "refused",
  );
  const browser = openBrowser();
  const planted = "p".repeat(43);
  browser.cookies.set(site, new Map([[sessionCookie, planted]]));
  await signInWith(browser, hub.url);
  const cookie = browser.cookies.get(site)?.get(sessionCookie) ?? "";
  tally.add("a cookie from before the sign-in is kept", cookie === planted ? "kept" : "refused");
  const { key } = await makeKey({ url: hub.url });
  const session = (headers: Record<string, string>) =>
    openBrowser().send(`${hub.url}/api/session`, {
      method: "POST",
      body: JSON.stringify({ key }),
      headers: { "Content-Type": "application/json", Origin: hub.url, ...headers },
    });
  const outcome = async (answer: ReturnType<typeof session>, ...good: readonly number[]) => {
    const { status } = await answer;
    return (good.length === 0 ? [400, 401, 403] : good).includes(status) ? "refused" : `${status}`;
  };
  tally.add("the true one", (await session({ Cookie: `${sessionCookie}=${cookie}` })).status, 200);
  const cookies = {
    "the planted one": `${sessionCookie}=${planted}`,
    "without its prefix": `pagewire=${cookie}`,
    "as the flow": `${sessionCookie}-flow=${cookie}`,
    "in capitals": `${sessionCookie.toUpperCase()}=${cookie}`,
    "cut off": `${sessionCookie}=${cookie.slice(0, -1)}`,
    "a little longer": `${sessionCookie}=${cookie}A`,
    "in quotes of a quote": `x="${sessionCookie}=${cookie}"`,
    none: "",
  };
  for (const [name, Cookie] of Object.entries(cookies)) tally.add(name, await outcome(session({ Cookie })));
  const mine = { Cookie: `${sessionCookie}=${cookie}` };
  for (const Origin of ["https://evil.example", "null", appOrigin, hub.url.replace("https", "http"), `${hub.url}1`, ""])
    tally.add(`from ${Origin}`, await outcome(session({ ...mine, Origin })));
  tally.add("as a form", await outcome(session({ ...mine, "Content-Type": "text/plain" }), 400, 415));
  for (const asked of [
    "GET /api/app",
    "GET /api/sessions",
    "GET /api/team/me",
    "GET /api/team/people",
    "POST /mcp",
    "GET /metrics",
    "POST /api/codes",
    "POST /api/call/x",
    "POST /api/sign-out",
  ]) {
    const [method = "", path = ""] = asked.split(" ");
    tally.add(`${asked} by cookie`, await outcome(openBrowser().send(`${hub.url}${path}`, { method, headers: mine })));
    tally.add(
      `${asked} by cookie, of a page`,
      await outcome(openBrowser().send(`${hub.url}${path}`, { method, headers: { ...mine, Origin: hub.url } })),
    );
    tally.add(
      `${asked} with the cookie as a token`,
      await outcome(
        openBrowser().send(`${hub.url}${path}`, { method, headers: { Authorization: `Bearer ${cookie}` } }),
      ),
    );
  }
  tally.close();
});

test("TM90, TM92, TM94: no page of another origin gets a token by a cookie, or reads why not", async () => {
  const { hub } = await besiegeTeam();
  const browser = openBrowser();
  await signInWith(browser, hub.url);
  const tally = startTally(
    "sign-in",
    "pages of other origins that ask for tokens by the cookie of a person",
    "refused",
  );
  const body = (more: object = {}) => JSON.stringify({ app: "shop", ...more });
  for (const Origin of [
    "https://evil.example",
    "null",
    "NULL",
    "file://",
    "*",
    appOrigin.toUpperCase(),
    `${appOrigin}:443`,
    `${appOrigin}.evil.example`,
    appOrigin.replace("https", "http"),
    `${appOrigin}/`,
    `${appOrigin}, https://evil.example`,
    "https://sub.app.example.com",
    "https://appXexample.com",
  ])
    for (const method of ["OPTIONS", "POST"]) {
      const { status, headers } = await browser.send(`${hub.url}/api/page-tokens`, {
        method,
        headers: { Origin, "Content-Type": "application/json" },
        ...(method === "POST" && { body: body() }),
      });
      const isRead = headers.get("access-control-allow-origin") !== null;
      tally.add(`${method} of ${Origin}`, status >= 400 && !isRead ? "refused" : `${status} ${isRead}`);
    }
  const others = {
    "another origin": { origin: "https://evil.example" },
    "the hub's origin": { origin: hub.url },
    "no origin": { origin: null },
    "another subject": { subject: "amy" },
    "another organisation's": { subject: "globex/eve" },
    "an empty subject": { subject: "" },
    "a long time": { expiresIn: 1e12 },
    "no time": { expiresIn: null },
  };
  for (const [name, more] of Object.entries(others)) {
    const { status } = await browser.ask(hub.url, "POST /api/page-tokens", {
      origin: appOrigin,
      body: { app: "shop", ...more },
    });
    tally.add(name, status === 400 || status === 403 ? "refused" : `${status}`);
  }
  const { status } = await browser.ask(hub.url, "POST /api/page-tokens", { origin: appOrigin, body: { app: "shop" } });
  tally.add("its own", status, 200);
  tally.close();
});

test("OI5: the hub keeps nothing of what strangers begin, and the provider is asked once", async () => {
  const { hub, asked } = await besiegeTeam();
  const tally = startTally("sign-in", "sign-ins that nobody finishes", "kept by the browser only");
  await openBrowser().send(`${hub.url}/sign-in?provider=acme`);
  const before = asked("/.well-known/openid-configuration");
  const seen: string[] = [];
  for (let count = 0; count < 40; count++) {
    const { status, headers } = await openBrowser().send(
      `${hub.url}/sign-in?provider=acme&returnTo=/${"x".repeat(1500)}`,
    );
    tally.add(`${count}`, status === 302 ? "kept by the browser only" : `${status}`);
    seen.push(headers.getSetCookie().join());
  }
  tally.add("the provider's document", asked("/.well-known/openid-configuration") - before, 0);
  tally.add("flows that are alike", new Set(seen).size, 40);
  tally.close();
});

test("what was signed with is in no log", async () => {
  const { hub } = await besiegeTeam();
  const browser = openBrowser();
  const back = await wayBack(browser, hub.url, "provider=acme");
  const flow = [...(browser.cookies.get(site)?.values() ?? [])];
  const stranger = openBrowser();
  await stranger.send(back);
  await browser.send(back);
  await browser.send(back);
  const page = await openPage(browser, hub.url);
  const secrets = [...flow, back.searchParams.get("code") ?? "", back.searchParams.get("state") ?? "", page.token];
  const tally = startTally(
    "sign-in",
    "codes, states, cookies and tokens of a sign-in, looked for in the log",
    "not there",
  );
  for (const secret of [...secrets, browser.cookies.get(site)?.get(sessionCookie) ?? "", "the-secret-of-all-clients"])
    tally.add(secret.slice(0, 8), secret !== "" && !hub.output().includes(secret) ? "not there" : "there");
  tally.close();
});
