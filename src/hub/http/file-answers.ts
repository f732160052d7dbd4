import { readFile, readdir } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".png": "image/png",
};

/** Reads all files below a folder, by relative path with slashes; none if the folder does not exist. */
export async function readFolder(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const path of await pathsBelow(folder)) {
    files.set(relative(folder, path).split(sep).join("/"), await readFile(path));
  }
  return files;
}

async function pathsBelow(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

export interface FileAnswer {
  /** Its extension gives the content type. */
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** 200 by default. */
  readonly status?: number;
}

export function respondFile(
  { method }: IncomingMessage,
  response: ServerResponse,
  { path, body, headers, status = 200 }: FileAnswer,
) {
  response.writeHead(status, {
    "Content-Type": types[extname(path)] ?? "application/octet-stream",
    "Content-Length": String(body.length),
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    ...headers,
  });
  response.end(method === "HEAD" ? undefined : body);
}
