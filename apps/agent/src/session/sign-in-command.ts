export interface SignInCommand {
  readonly where: string;
  readonly command: string;
}

/** Where a user signs in to the hub of an origin, and by which command: most who use a hub elsewhere have no terminal there. */
export function signInCommand(origin: string): SignInCommand {
  const { hostname } = new URL(origin);
  const isHere = hostname === "[::1]" || /^(127(\.\d+){3}|(.+\.)?localhost)$/.test(hostname);
  if (isHere) return { where: "In a terminal on the hub's machine:", command: "npx pagewire open" };
  const command = `PAGEWIRE_URL=${origin} PAGEWIRE_TOKEN=<token> npx pagewire open`;
  return { where: "In a terminal, with a token for your agents from whoever runs this hub:", command };
}
