// The identity provider and the hub of the hub's tests, for tests of other rooms.
import { signPageToken } from "../../src/hub/index.ts";
import { ownTokens, resolveTeam } from "../../src/hub/options/team-options.ts";
import type { TeamOptions } from "../../src/hub/options/team-options.ts";

export { startHub } from "../../src/hub/test-support/hub.test-helper.ts";
export type { TestHub } from "../../src/hub/test-support/hub.test-helper.ts";
export { connectPage } from "../../src/hub/test-support/page.test-helper.ts";
export { openBrowser } from "../../src/hub/team/test-support/browser.test-helper.ts";
export {
  optionsFor,
  registerHub,
  signInWith,
  startIdentityProvider,
  teamOf,
} from "../../src/hub/team/test-support/team-hub.test-helper.ts";
export type { TestProvider, TestProviderOptions } from "../../src/hub/team/test-support/start-provider.test-helper.ts";

/** A token of a person's page, as the hub of this team signs it. */
export function pageTokenOf(team: TeamOptions, subject: string): Promise<string> {
  return signPageToken({ ...ownTokens(resolveTeam(team)), subject });
}
