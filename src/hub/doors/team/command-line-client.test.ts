import { expect, test } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";

test("CL66: a hub in team mode serves the document about the command line, whose client id is its address", async () => {
  const team = { secret: "s".repeat(32), providers: [{ name: "acme", issuer: "https://id.acme.example" }] };
  const hub = await startHub({ team });
  const url = `${hub.url}/oauth/command-line.json`;
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  expect(await response.json()).toMatchObject({
    client_id: url,
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: ["http://127.0.0.1/callback"],
  });
  expect((await fetch(`${(await startHub()).url}/oauth/command-line.json`)).status).toBe(404);
});
