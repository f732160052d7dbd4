export { createAuthenticatedWSS } from "./create-authenticated-wss.ts";
export type { AuthenticatedWSSOptions } from "./create-authenticated-wss.ts";
export { extractTokenFromProtocol } from "./extract-token.ts";
export { handleConnection } from "./handle-connection.ts";
export type { AuthenticatedConnectionOptions, CreatedCores } from "./handle-connection.ts";
export type { AuthenticatedSocket } from "./session-socket.ts";
export type { UserContext } from "./user-context.ts";
export { verifyAuth0Token } from "./verify-auth0-token.ts";
export type { VerifyTokenOptions } from "./verify-auth0-token.ts";
