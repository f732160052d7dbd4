// The addresses by which browsers know a hub, and those to which a sign-in leads them.
import { expect, test } from "vitest";
import { openBrowser } from "../test-support/browser.test-helper.ts";
import {
  callbackOf,
  optionsFor,
  registerHub,
  startHubOf,
  startIdentityProvider,
  startTeamHub,
} from "../test-support/team-hub.test-helper.ts";

test("OI3: a flow of one hub is not good at a hub of another name, also with the same secret and provider", async () => {
  const provider = await startIdentityProvider();
  const [one, other] = [await startHubOf([optionsFor(provider)]), await startHubOf([optionsFor(provider)])];
  await registerHub(provider, [one.url, other.url]);
  // Browsers keep the cookies of all ports of a host together.
  const browser = openBrowser();
  const back = await callbackOf(browser, one.url);
  expect((await browser.send(`${other.url}${back.pathname}${back.search}`)).status).toBe(400);
  expect(browser.cookies.get("https://127.0.0.1")?.has("__Host-pagewire")).not.toBe(true);
});

test("OI1: an address to begin with adds nothing to the question for the provider", async () => {
  const { url } = await startTeamHub();
  const more =
    "prompt=none&redirect_uri=https://evil.example&scope=x&response_mode=form_post&nonce=n&state=s&login_hint=eve";
  const { headers } = await openBrowser().send(`${url}/sign-in?provider=acme&${more}`);
  const { searchParams } = new URL(headers.get("location") ?? "");
  expect([...searchParams.keys()].sort()).toEqual([
    ...["client_id", "code_challenge", "code_challenge_method", "nonce"],
    ...["redirect_uri", "response_type", "scope", "state"],
  ]);
  expect(searchParams.get("redirect_uri")).toBe(`${url}/sign-in/callback`);
});

test("a browser that names the hub otherwise begins at its public address", async () => {
  const provider = await startIdentityProvider();
  const { port } = await startHubOf([optionsFor(provider)], { publicHosts: ["hub.example.com"] });
  const asked = `https://127.0.0.1:${port}/sign-in?provider=acme&returnTo=/console`;
  const { status, headers } = await openBrowser().send(asked);
  expect(status).toBe(302);
  expect(headers.get("location")).toBe("https://hub.example.com/sign-in?provider=acme&returnTo=%2Fconsole&sent=");
});

test("OI20: only a proxy may forward the name by which a browser knows the hub", async () => {
  const provider = await startIdentityProvider();
  const { port } = await startHubOf([optionsFor(provider)], { publicHosts: ["hub.example.com"] });
  const browser = openBrowser({ "hub.example.com": () => port });
  const at = (host: string, forwarded: string) =>
    browser.send(`https://${host}/sign-in?provider=acme`, { headers: { "X-Forwarded-Host": forwarded } });
  const { headers } = await at(`127.0.0.1:${port}`, "hub.example.com");
  expect(headers.get("location")).toMatch(/^https:\/\/hub\.example\.com\//);
  expect((await at("hub.example.com", "evil.example")).headers.get("location")).toMatch(provider.issuer);
  const again = await browser.send(`https://127.0.0.1:${port}/sign-in?provider=acme&sent=`);
  expect([again.status, again.headers.get("location")]).toEqual([421, null]);
});

test.each([
  ["/console", "/console"],
  ["/agent/?x=1#tab", "/agent/?x=1#tab"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["/.//evil.example", "/"],
  ["https://evil.example/", "/"],
  ["/\t/evil.example", "/"],
  ["/api/app", "/"],
  ["/sign-in?provider=acme", "/"],
  ["/none", "/"],
  ["", "/"],
])("OI6: after a sign-in for %j the browser goes to %s of the hub", async (returnTo, expected) => {
  const { url } = await startTeamHub();
  const browser = openBrowser();
  const back = await callbackOf(browser, url, `provider=acme&returnTo=${encodeURIComponent(returnTo)}`);
  expect((await browser.send(back)).headers.get("location")).toBe(`${url}${expected}`);
});
