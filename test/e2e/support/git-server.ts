// A real git server on a port of this machine: git's own `git http-backend` behind Basic auth, with accounts for each
// repository, and a log of sign-ins and pushes.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Passwords by username. */
export type GitAccounts = Readonly<Record<string, string>>;

/** A request with a password. */
export interface GitSignIn {
  readonly username: string;
  readonly password: string;
  readonly repository: string;
  readonly isAccepted: boolean;
}

/** A successful push. */
export interface GitPush {
  readonly username: string;
  readonly repository: string;
}

export interface GitServer {
  /** For example http://127.0.0.1:40123. */
  readonly origin: string;
  /** With its port, as git passes it to credential helpers. */
  readonly host: string;
  readonly signIns: readonly GitSignIn[];
  readonly pushes: readonly GitPush[];
  /** The address of a repository, with this username if one is given. */
  url(repository: string, username?: string): string;
  /** The commit hash of a repository's branch; undefined before the first push. */
  head(repository: string, branch?: string): string | undefined;
  close(): Promise<void>;
}

/** Serves empty repositories, named such as "ada/shop.git", to these accounts. Other requests are asked for a password. */
export async function serveGit(repositories: Readonly<Record<string, GitAccounts>>): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), "git-server-"));
  for (const repository of Object.keys(repositories)) {
    git(["init", "--quiet", "--bare", "--initial-branch=main", join(root, repository)]);
    git(["--git-dir", join(root, repository), "config", "http.receivepack", "true"]);
  }
  const signIns: GitSignIn[] = [];
  const pushes: GitPush[] = [];

  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://git");
    const repository = Object.keys(repositories).find((name) => pathname.startsWith(`/${name}/`));
    const accounts = repository === undefined ? undefined : repositories[repository];
    if (repository === undefined || accounts === undefined) return void response.writeHead(404).end();
    const given = readBasic(request.headers.authorization);
    const isAccepted =
      given !== undefined && Object.hasOwn(accounts, given.username) && accounts[given.username] === given.password;
    if (given !== undefined) signIns.push({ ...given, repository, isAccepted });
    if (!isAccepted) {
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("Who are you?\n");
    }
    const { username } = given;
    if (request.method === "POST" && pathname.endsWith("/git-receive-pack")) {
      response.on("finish", () => response.statusCode === 200 && pushes.push({ username, repository }));
    }
    runBackend(request, response, { root, path: pathname, query: search.slice(1), username });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;

  return {
    origin: `http://${host}`,
    host,
    signIns,
    pushes,
    url: (repository, username) => `http://${username === undefined ? "" : `${username}@`}${host}/${repository}`,
    head(repository, branch = "main") {
      const refs = git([
        "--git-dir",
        join(root, repository),
        "for-each-ref",
        "--format=%(objectname)",
        `refs/heads/${branch}`,
      ]);
      return refs.trim() || undefined;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

interface BackendRequest {
  readonly root: string;
  readonly path: string;
  readonly query: string;
  readonly username: string;
}

/** Runs one request through git's CGI program. */
function runBackend(
  request: IncomingMessage,
  response: ServerResponse,
  { root, path, query, username }: BackendRequest,
): void {
  const { headers, method = "GET" } = request;
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: method,
      REMOTE_USER: username,
      REMOTE_ADDR: "127.0.0.1",
      CONTENT_TYPE: headers["content-type"],
      CONTENT_LENGTH: headers["content-length"],
      HTTP_CONTENT_ENCODING: headers["content-encoding"],
      GIT_PROTOCOL: headers["git-protocol"]?.toString(),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.on("error", () => {});
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  const readHead = (part: Buffer) => {
    head = Buffer.concat([head, part]);
    const end = head.indexOf("\r\n\r\n");
    if (end === -1) return;
    child.stdout.off("data", readHead);
    const fields = head.subarray(0, end).toString("latin1").split("\r\n").map(readField);
    const [, status = "200"] = fields.find(([name]) => name === "status") ?? [];
    for (const [name, value] of fields) if (name !== "status") response.setHeader(name, value);
    response.writeHead(Number.parseInt(status, 10));
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on("data", readHead);
  child.stdout.on("end", () => {
    if (!response.headersSent) response.writeHead(500).end();
  });
}

function readField(line: string): readonly [string, string] {
  const at = line.indexOf(":");
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
}

function readBasic(header = ""): { readonly username: string; readonly password: string } | undefined {
  const [, encoded] = /^Basic (.+)$/.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const at = text.indexOf(":");
  return { username: text.slice(0, at), password: text.slice(at + 1) };
}

function git(args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8", env: { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1" } });
}
