export { createAuthenticatedWSS } from "./create-authenticated-wss.ts";
export type { AuthenticatedWSSOptions } from "./create-authenticated-wss.ts";
export type { UserContext } from "./verify-auth0-token.ts";
