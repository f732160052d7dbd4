// The identity provider of the hub's tests, for tests of other rooms.
export { startProvider } from "../../src/hub/team/test-support/start-provider.test-helper.ts";
export type { TestProvider, TestProviderOptions } from "../../src/hub/team/test-support/start-provider.test-helper.ts";
