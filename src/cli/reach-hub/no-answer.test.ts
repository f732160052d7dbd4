import { expect, onTestFinished, test } from "vitest";
import { createContextFiles } from "../../state/index.ts";
import { writeContext } from "../contexts/context.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";

const token = { PAGEWIRE_TOKEN: "a-token-of-another-hub" };

function open(environment?: Readonly<Record<string, string>>) {
  const cli = createTestIo(environment === undefined ? {} : { environment });
  onTestFinished(() => cli.close());
  return cli;
}

test.each([["tabs"], ["status"], ["whoami"]])(
  "CL4: where a hub of another machine does not answer, %s does not say that one should be started here",
  async (command) => {
    const cli = open();
    const context = { name: "acme", hub: "https://hub.invalid", issuer: undefined, clientId: undefined, scopes: [] };
    writeContext(createContextFiles(cli.home), { ...context, kept: { plain: { access: "a-key-of-that-hub" } } });
    expect(await cli.run(command, "--context", "acme")).toBe(3);
    const byAddress = open(token);
    expect(await byAddress.run(command, "--hub", "https://hub.invalid")).toBe(3);
    for (const said of [cli.err(), byAddress.err()]) {
      expect(said).toMatch(
        /^Error: No hub answers at https:\/\/hub\.invalid: .*hub\.invalid\. Check the address, .*\.\n$/,
      );
      expect(said).not.toContain("npx pagewire");
    }
  },
);

test.each([["tabs"], ["status"]])(
  "CL4: where a hub of this machine does not answer, %s says how to start it",
  async (command) => {
    const cli = open(token);
    expect(await cli.run(command, "--hub", "http://127.0.0.1:1")).toBe(3);
    expect(cli.err()).toMatch(/^Error: No hub answers at http:\/\/127\.0\.0\.1:1: .*\. Start it with: npx pagewire\n$/);
  },
);

test.each([
  ["https://hub.invalid", "Check the address, and that this machine reaches its network."],
  ["https://127.0.0.1:1", "A hub of this machine needs no sign-in: npx pagewire context use local"],
])("CL4: login says what to do where no hub answers at %s", async (address, next) => {
  const cli = open();
  expect(await cli.run("login", address)).toBe(3);
  expect(cli.err()).toContain(`No hub answers at ${address}: `);
  expect(cli.err()).toContain(next);
});
