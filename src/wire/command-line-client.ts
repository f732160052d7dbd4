/** The path of a team hub's document about the command line, whose address is its client id at identity providers. */
export const commandLineClientPath = "/oauth/command-line.json";

/** The command line as a client of identity providers: a public one, which signs in by a browser on its machine, or by a code. */
export const commandLineClient = {
  client_name: "Pagewire command line",
  application_type: "native",
  // At any port: RFC 8252, section 7.3.
  redirect_uris: ["http://127.0.0.1/callback"],
  response_types: ["code"],
  grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
  token_endpoint_auth_method: "none",
} as const;
