// An authorization server in memory, which signs every user in at once. Runs in Node.
import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../wire/index.ts";
import type { HeardRequest } from "./create-server.test-helper.ts";

export interface SignIn {
  answers(request: HeardRequest, response: ServerResponse): boolean;
  /** Whether it issued this token, and has not revoked it. */
  admits(token: string): boolean;
  /** Revokes the issued tokens. A client with a refresh token can get others. */
  revoke(): void;
}

interface Code {
  readonly client: string;
  readonly redirect: string;
  readonly challenge: string;
}

type Route = (request: HeardRequest, origin: string) => { readonly location: string } | { readonly json: JsonObject };

const invalid = { json: { error: "invalid_grant" } };

export function createSignIn(): SignIn {
  const clients = new Set<string>();
  const codes = new Map<string, Code>();
  const tokens = new Set<string>();
  const refreshTokens = new Set<string>();

  const routes: Readonly<Record<string, Route>> = {
    "/.well-known/oauth-protected-resource/mcp": (_, origin) => ({
      json: { resource: `${origin}/mcp`, authorization_servers: [origin] },
    }),
    "/.well-known/oauth-authorization-server": (_, origin) => ({
      json: {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
      },
    }),
    "/register": ({ body }) => ({ json: { ...body, client_id: issue(clients) } }),
    "/authorize": ({ url }, origin) => {
      const asked = new URL(url, origin).searchParams;
      const wish = (name: string) => asked.get(name) ?? "";
      const code = randomUUID();
      codes.set(code, {
        client: wish("client_id"),
        redirect: wish("redirect_uri"),
        challenge: wish("code_challenge"),
      });
      const answer = new URLSearchParams({ code, state: wish("state"), iss: origin });
      return { location: `${wish("redirect_uri")}?${String(answer)}` };
    },
    "/token": ({ text }) => {
      const asked = Object.fromEntries(new URLSearchParams(text));
      const isGood = asked["grant_type"] === "refresh_token" ? isRefresh(asked) : isExchange(asked);
      if (!isGood) return invalid;
      return {
        json: {
          access_token: issue(tokens),
          refresh_token: issue(refreshTokens),
          token_type: "Bearer",
          expires_in: 3600,
        },
      };
    },
  };

  function isRefresh({ refresh_token: token = "" }: Readonly<Record<string, string>>): boolean {
    return refreshTokens.delete(token);
  }

  function isExchange(asked: Readonly<Record<string, string>>): boolean {
    const code = codes.get(asked["code"] ?? "");
    codes.delete(asked["code"] ?? "");
    const challenge = createHash("sha256")
      .update(asked["code_verifier"] ?? "")
      .digest("base64url");
    return (
      code !== undefined &&
      clients.has(code.client) &&
      asked["client_id"] === code.client &&
      asked["redirect_uri"] === code.redirect &&
      challenge === code.challenge
    );
  }

  return {
    answers(request, response) {
      const route = routes[request.url.replace(/\?.*$/, "")];
      if (!route) return false;
      const answer = route(request, `http://${request.headers.host}`);
      if ("location" in answer) response.writeHead(302, answer).end();
      else {
        response.writeHead(answer === invalid ? 400 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify(answer.json));
      }
      return true;
    },
    admits: (token) => tokens.has(token),
    revoke: () => tokens.clear(),
  };
}

function issue(to: Set<string>): string {
  const id = randomUUID();
  to.add(id);
  return id;
}
