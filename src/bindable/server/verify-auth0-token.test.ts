import { SignJWT } from "jose";
import { expect, test } from "vitest";
import { chooseProtocol, extractTokenFromProtocol, verifyAuth0Token } from "./verify-auth0-token.ts";
import { audience, createIssuer } from "./issuer.test-helper.ts";

const domain = "example.auth0.com";

test("a valid token gives its user, with permissions and roles", async () => {
  const { jwks, token } = await createIssuer();
  const claims = { email: "ada@example.com", name: "Ada", permissions: ["read"], roles: ["admin"], org_id: "o1" };
  expect((await verifyAuth0Token(await token(claims), { domain, audience, jwks })).user).toMatchObject({
    sub: "auth0|ada",
    email: "ada@example.com",
    name: "Ada",
    permissions: ["read"],
    roles: ["admin"],
    orgId: "o1",
    raw: claims,
  });
  const namespaced = await token({ "https://x/roles": ["editor"], roles: ["admin"], permissions: "read" });
  const { user } = await verifyAuth0Token(namespaced, { domain, audience, jwks, rolesClaim: "https://x/roles" });
  expect([user.roles, user.permissions]).toEqual([["editor"], []]);
  const { user: bare } = await verifyAuth0Token(await token({ roles: "admin_readonly" }), { domain, audience, jwks });
  expect(bare.roles).toEqual([]);
});

test("a token that is expired, of another issuer, for another API, unsigned, or signed otherwise is refused", async () => {
  const { jwks, token } = await createIssuer();
  const otherKey = await createIssuer();
  const other = await createIssuer("other.auth0.com");
  const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
  const shared = new SignJWT({ sub: "x" }).setProtectedHeader({ alg: "HS256", kid: "1" }).setExpirationTime("5m");
  const [header, payload] = (await token()).split(".");
  const tokens = [
    await token({}, Math.floor(Date.now() / 1000) - 60),
    await token({ aud: "https://other.example.com" }),
    await token({ sub: "" }),
    await otherKey.token(),
    await other.token(),
    await shared.sign(secret),
    `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`,
    `${header}.${payload}.`,
    "not a token",
    "",
  ];
  for (const each of tokens) await expect(verifyAuth0Token(each, { domain, audience, jwks })).rejects.toThrow();
  for (const none of ["", undefined, []]) {
    const options = { domain, audience: none as string, jwks };
    await expect(verifyAuth0Token(await token(), options)).rejects.toThrow("audience");
  }
});

test("the token comes as the subprotocol auth0-gate.bearer.<token> or pagewire.bearer.<token>, among others", () => {
  const from = (offered?: string) => extractTokenFromProtocol({ headers: { "sec-websocket-protocol": offered } });
  expect(from("auth0-gate.bearer.a.b.c")).toBe("a.b.c");
  expect(from("chat, auth0-gate.bearer.a.b.c")).toBe("a.b.c");
  expect(from("pagewire.core.1,pagewire.bearer.a.b.c")).toBe("a.b.c");
  expect(from("pagewire.bearer., auth0-gate.bearer.a.b.c")).toBe("a.b.c");
  for (const none of [undefined, "", "chat", "auth0-gate.bearer."]) expect(() => from(none)).toThrow("subprotocol");
});

test("a token that was offered beside another subprotocol of ours is not sent back", () => {
  const chosen = (...offered: string[]) => chooseProtocol(new Set(offered));
  expect(chosen("pagewire.core.1", "pagewire.bearer.a.b.c")).toBe("pagewire.core.1");
  expect(chosen("chat", "auth0-gate.bearer.a.b.c")).toBe("auth0-gate.bearer.a.b.c");
  expect(chosen("chat")).toBe(false);
});
