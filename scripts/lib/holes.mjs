// Holes that stood open once, or could: which line opens each when it is changed so, and the chapter of test/e2e/attack/
// that must find it.
export const holes = [
  {
    name: "one route needs no credential",
    chapter: "gate",
    file: "src/hub/http/routes.ts",
    from: `path: "/metrics", access: "agent"`,
    to: `path: "/metrics", access: "public"`,
  },
  {
    name: "an upgrade may name any host",
    chapter: "gate",
    file: "src/hub/serving/serve.ts",
    from: `    guard.checkHost(request);
    const route = findUpgrade(request);`,
    to: `    const route = findUpgrade(request);`,
  },
  {
    name: "pages of any origin act as agents",
    chapter: "gate",
    file: "src/hub/guard/guard.ts",
    from: `    agent(request, { isUpgrade }) {
      const { origin } = request.headers;
      if (origin !== undefined && !ownOrigins.has(origin)) {`,
    to: `    agent(request, { isUpgrade }) {
      const { origin } = request.headers;
      if (origin === "null") {`,
  },
  {
    name: "the offers of one principal have no budget",
    chapter: "floods",
    file: "src/switchboard/principal-budget.ts",
    from: `    if (count <= most) return;`,
    to: `    if (count <= most || name === "offeredBytesPerPrincipal") return;`,
  },
  {
    name: "a page's token is an agent's, too",
    chapter: "tokens",
    file: "src/hub/guard/tokens.ts",
    from: `        audience,
        requiredClaims`,
    to: `        audience: Object.values(audiences),
        requiredClaims`,
  },
  {
    name: "a token may be good for a hundred years",
    chapter: "tokens",
    file: "src/hub/guard/tokens.ts",
    from: `(exp - issued) * 1000 <= tokenTime)`,
    to: `(exp - issued) * 1000 <= tokenTime * 10_000)`,
  },
  {
    name: "an MCP session serves whoever knows its id",
    chapter: "tenants",
    file: "src/hub/doors/mcp/sessions.ts",
    from: ` || session?.admitted.principal !== admitted.principal) return undefined;
    if (session.admitted.credential !== admitted.credential) return undefined;`,
    to: ` || !session) return undefined;`,
  },
  {
    name: "a conversation serves whoever knows its id",
    chapter: "core",
    file: "src/bindable/remote/shell-sessions.ts",
    from: `if (known && known.principal !== principal) {`,
    to: `if (known && known.principal === "") {`,
  },
  {
    name: "clients write the system's text",
    chapter: "core",
    file: "src/hub/doors/core/read-request.ts",
    from: `if (system === undefined || !allowSystem) return`,
    to: `if (system === undefined || allowSystem === undefined) return`,
  },
  {
    name: "a terminal that its user opens is shown to whoever asks for it then",
    chapter: "terminals",
    file: "src/terminal/terminal-keeper.ts",
    from: `const whose = JSON.stringify([principal, id]);`,
    to: `const whose = JSON.stringify([principal && id]);`,
  },
  {
    name: "what another page wrote needs no question",
    chapter: "consent",
    file: "src/hub/doors/core/guard-tools.ts",
    from: `if (textFrom.length > 0 && !isForAll)`,
    to: `if (textFrom.length > 99 && !isForAll)`,
  },
  {
    name: "a page's own word that its tool only reads is enough",
    chapter: "consent",
    file: "src/hub/doors/core/guard-tools.ts",
    from: `const isElsewhere = own === false && origin !== undefined && origin !== subject;`,
    to: `const isElsewhere = own === false && origin === undefined && origin !== subject;`,
  },
  {
    name: "commands and clients bring their token to whatever listens",
    chapter: "neighbours",
    file: "src/hub-client/prove-hub.ts",
    from: `if (url.startsWith("https:") || `,
    to: `if (url.startsWith("http") || `,
  },
  {
    name: "others can write to the state directory",
    chapter: "neighbours",
    file: "src/state/require-own.ts",
    from: `if ((stats.mode & 0o022) === 0) return;`,
    to: `if ((stats.mode & 0o022) !== 0o777) return;`,
  },
  {
    name: "connect --write follows a link out of the project",
    chapter: "neighbours",
    file: "src/cli/connect/config/config-file.ts",
    from: `if (way.split(sep)[0] !== ".." && !isAbsolute(way)) return file;`,
    to: `if (way.split(sep)[0] !== "" && !isAbsolute(way)) return file;`,
  },
  {
    name: "what cannot be seen is passed on as it is",
    chapter: "text",
    file: "src/wire/show-invisible.ts",
    from: `kept ?? write(character)`,
    to: `kept ?? (write(character) && character)`,
  },
  {
    name: "what the policy denies may run",
    chapter: "policy",
    file: "src/switchboard/policy-gate.ts",
    from: `if (rule.decision === "deny") return`,
    to: `if (rule.decision === "deny" && rule.label === "") return`,
  },
  {
    name: "any page may frame the agent's window",
    chapter: "pages",
    file: "src/hub/http/content-policy.ts",
    from: "`frame-ancestors ${",
    to: "`frame-ancestors * ${",
  },
  {
    name: "a revoked token is good until it ends",
    chapter: "hosting",
    file: "src/hub/identity/revocations.ts",
    from: `(tokenId !== undefined && ids.has(tokenId)) ||`,
    to: `(tokenId === "" && ids.has(tokenId)) ||`,
  },
  {
    name: "a permission is for whatever the tool becomes",
    chapter: "changes",
    file: "src/hub/approvals/consents.ts",
    from: `(one) => !one.approved || isPermissionOf(one, tool)`,
    to: `(one) => !one.approved || one.approved`,
  },
  {
    name: "the fields of a frame may be anything",
    chapter: "frames",
    file: "src/wire/codec.ts",
    from: `if (wrong) return refuse(`,
    to: `if (wrong === "type") return refuse(`,
  },
];
