import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { listen } from "../hubs/listen.ts";

/** The packages that the modules import by name, and their entry modules. */
const packages = { "@cfworker/json-schema": "index.js" } as const;

const imports = Object.fromEntries(Object.entries(packages).map(([name, entry]) => [name, `/${name}/${entry}`]));

export interface ModuleServer {
  readonly origin: string;
  close(): void;
}

/**
 * Serves the page of `pages/browser/hops.ts`, and the package's `dist/` as the modules that it is: its functions are
 * those of the sources, where a bundler may have made one of several.
 */
export async function serveModules(): Promise<ModuleServer> {
  const importMap = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
  const html = `<!doctype html><meta charset="utf-8"><title>Hops</title>${importMap}<script type="module" src="/hops.js"></script>`;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://modules");
    if (pathname === "/") return void response.writeHead(200, { "Content-Type": "text/html" }).end(html);
    read(pathname).then(
      (text) => response.writeHead(200, { "Content-Type": "text/javascript" }).end(text),
      (error: unknown) => response.writeHead(404).end(String(error)),
    );
  });
  const { port } = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function read(path: string): Promise<string> {
  if (path === "/hops.js") return readFile(new URL("browser/hops.js", import.meta.url), "utf8");
  const name = Object.keys(packages).find((one) => path.startsWith(`/${one}/`));
  const url =
    name === undefined
      ? new URL(`../..${path}`, import.meta.resolve("pagewire/hub"))
      : new URL(path.slice(name.length + 2), import.meta.resolve(name));
  return readFile(fileURLToPath(url), "utf8");
}
