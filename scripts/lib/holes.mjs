// Holes that stood open once, or could: which line opens each when it is changed so, and the chapter of test/e2e/attack/
// that must find it.
export const holes = [
  {
    name: "one route needs no credential",
    chapter: "gate",
    file: "src/hub/routes.ts",
    from: `path: "/metrics", access: "agent"`,
    to: `path: "/metrics", access: "public"`,
  },
  {
    name: "an upgrade may name any host",
    chapter: "gate",
    file: "src/hub/serve.ts",
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
];
