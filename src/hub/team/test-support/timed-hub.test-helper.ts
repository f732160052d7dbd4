// A hub whose rounds and dates a test moves on, with a person who is signed in; its provider gives refresh tokens that are good once.
import { onTestFinished, vi } from "vitest";
import type { Configuration } from "oidc-provider";
import type { HubOptions } from "../../options/options.ts";
import { roundTime } from "../sign-in/fresh-claims.ts";
import { openBrowser } from "./browser.test-helper.ts";
import {
  openPage,
  optionsFor,
  registerHub,
  signInWith,
  startHubOf,
  startIdentityProvider,
} from "./team-hub.test-helper.ts";

export const minute = 60_000;
export const app = "https://app.example.com";

interface TimedOptions {
  readonly client?: Readonly<Record<string, unknown>>;
  readonly configuration?: Configuration;
  readonly hub?: Partial<HubOptions>;
}

/** Staff may use the hub, and admins govern. */
export async function startTimed({ client, configuration, hub: options }: TimedOptions = {}) {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  const provider = await startIdentityProvider({ configuration: { rotateRefreshToken: true, ...configuration } });
  const groups = { memberGroups: ["staff"], adminGroups: ["admins"] };
  const hub = await startHubOf([optionsFor(provider, groups)], { allowedOrigins: () => [app], ...options });
  await registerHub(provider, [hub.url], client);
  const browser = openBrowser();
  await signInWith(browser, hub.url);
  const page = await openPage(browser, hub.url);
  const ask = async (asked: string, body?: object) =>
    browser.ask(hub.url, asked, { token: await page.bearer(), ...(body && { body }) });
  return {
    ...{ hub, provider, browser, page, ask },
    me: async () => (await ask("GET /api/team/me")).body as { readonly groups: readonly string[]; isAdmin: boolean },
    status: async () => (await ask("GET /api/app")).status,
  };
}

/** Rounds skip a sign-in about which an earlier one still asks. */
export const nextRound = () => vi.advanceTimersByTimeAsync(roundTime);
