// An OAuth sign-in in a page, through the MCP SDK's provider interface.
import { expect, onTestFinished, test } from "vitest";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { connect, environment, resultOf, toolNames } from "./mcp-toolbox.test-helper.ts";
import { serve } from "./served.test-helper.ts";

const back = new URL("./back.test-page.xhtml", import.meta.url).href;

interface Kept {
  client?: Parameters<NonNullable<OAuthClientProvider["saveClientInformation"]>>[0];
  tokens?: Parameters<OAuthClientProvider["saveTokens"]>[0];
  verifier?: string;
  redirect?: URL;
  discovered?: Parameters<NonNullable<OAuthClientProvider["saveDiscoveryState"]>>[0];
}

/** The state that a page stores while its user is away to sign in. */
function createProvider(kept: Kept): OAuthClientProvider {
  return {
    redirectUrl: back,
    clientMetadata: { redirect_uris: [back], client_name: "A page", token_endpoint_auth_method: "none" },
    state: () => "of-this-page",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.redirect = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? "",
    saveDiscoveryState: (state) => void (kept.discovered = state),
    discoveryState: () => kept.discovered,
    invalidateCredentials: () => void delete kept.tokens,
  };
}

/** Follows the redirect to the authorization server, and returns the query of its redirect back. */
async function visit(url: URL | undefined): Promise<URLSearchParams> {
  const frame = document.createElement("iframe");
  const arrived = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  frame.src = String(url);
  document.body.append(frame);
  onTestFinished(() => frame.remove());
  await arrived;
  return new URLSearchParams(frame.contentWindow?.location.search);
}

test.each(["legacy", "modern"] as const)(
  "a page's user signs in by a redirect, the code becomes a token, and a token that ends is made anew; %s",
  async (era) => {
    const server = await serve({ era, signIn: true });
    const kept: Kept = {};
    const authProvider = createProvider(kept);
    await expect(connect(server.url, { authProvider })).rejects.toMatchObject({
      code: "server-unreachable",
      message: expect.stringContaining("sign") as string,
    });
    const authorizationResponse = await visit(kept.redirect);
    expect(authorizationResponse.get("state")).toBe("of-this-page");
    const toolbox = await connect(server.url, { authProvider, authorizationResponse });
    expect(toolNames(toolbox)).toContain("echo");
    const first = kept.tokens?.access_token;
    await server.revoke();
    const outcome = await toolbox.callTool("echo", { text: "hi" }, environment());
    expect(resultOf(outcome)).toMatchObject({ content: [{ type: "text", text: "hi" }] });
    expect(kept.tokens?.access_token).not.toBe(first);
    const { heard } = await server.look();
    expect(heard.filter(({ method }) => method === "tools/call")).toHaveLength(2);
  },
);

test("a used code cannot sign in again", async () => {
  const server = await serve({ signIn: true });
  const kept: Kept = {};
  const authProvider = createProvider(kept);
  await expect(connect(server.url, { authProvider })).rejects.toThrow("sign");
  const authorizationResponse = await visit(kept.redirect);
  await connect(server.url, { authProvider, authorizationResponse });
  delete kept.tokens;
  await expect(connect(server.url, { authProvider, authorizationResponse })).rejects.toMatchObject({
    code: "server-unreachable",
  });
  expect(kept.tokens).toBeUndefined();
});
