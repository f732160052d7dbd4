// The globals that browsers, workers and Node share, for the folders that may rely on nothing else.
// Only as much of each as those folders need: a narrower type here keeps them portable.

interface Event {
  readonly type: string;
}

interface EventListenerOptions {
  once?: boolean;
  signal?: AbortSignal;
}

interface EventTarget {
  addEventListener(type: string, listener: (event: Event) => void, options?: EventListenerOptions): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
}

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  // oxlint-disable-next-line no-explicit-any -- the platform's own types say any
  readonly reason: any;
  throwIfAborted(): void;
}

declare var AbortSignal: {
  prototype: AbortSignal;
  abort(reason?: unknown): AbortSignal;
  any(signals: AbortSignal[]): AbortSignal;
  timeout(milliseconds: number): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare var AbortController: {
  prototype: AbortController;
  new (): AbortController;
};

interface URLSearchParams {
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
  delete(name: string): void;
  forEach(each: (value: string, name: string) => void): void;
  toString(): string;
}

declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (init?: string | Record<string, string>): URLSearchParams;
};

interface URL {
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toString(): string;
}

declare var URL: {
  prototype: URL;
  new (url: string, base?: string | URL): URL;
  canParse(url: string, base?: string): boolean;
};

interface TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
  encodeInto(source: string, destination: Uint8Array): { readonly read: number; readonly written: number };
}

declare var TextEncoder: {
  prototype: TextEncoder;
  new (): TextEncoder;
};

interface TextDecoder {
  decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}

declare var TextDecoder: {
  prototype: TextDecoder;
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

// A number in browsers, an object in Node: code here may only keep it and hand it back.
declare function setTimeout(callback: () => void, milliseconds?: number): number | object;
declare function clearTimeout(timer: number | object | undefined): void;
declare function setInterval(callback: () => void, milliseconds?: number): number | object;
declare function clearInterval(timer: number | object | undefined): void;
declare function queueMicrotask(callback: () => void): void;

declare function structuredClone<Value>(value: Value): Value;

interface Performance {
  now(): number;
}

declare var performance: Performance;

interface CryptoKey {
  readonly type: string;
}

interface SubtleCrypto {
  importKey(
    format: "raw",
    key: Uint8Array<ArrayBuffer>,
    algorithm: { name: "HMAC"; hash: "SHA-256" },
    extractable: boolean,
    uses: "sign"[],
  ): Promise<CryptoKey>;
  digest(algorithm: "SHA-256", data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
  sign(algorithm: "HMAC", key: CryptoKey, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>;
}

interface Crypto {
  /** Missing in pages that were served over plain http from elsewhere than this machine. */
  readonly subtle?: SubtleCrypto;
  getRandomValues<Bytes extends ArrayBufferView>(bytes: Bytes): Bytes;
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
}

declare var crypto: Crypto;

interface Console {
  error(...parts: unknown[]): void;
  warn(...parts: unknown[]): void;
}

declare var console: Console;

declare var EventTarget: {
  prototype: EventTarget;
  new (): EventTarget;
};

interface EventTarget {
  dispatchEvent(event: Event): boolean;
}

interface CustomEvent<Detail = unknown> extends Event {
  readonly detail: Detail;
}

declare var CustomEvent: {
  prototype: CustomEvent;
  new <Detail>(type: string, init?: { bubbles?: boolean; detail?: Detail }): CustomEvent<Detail>;
};

interface ReadableStreamDefaultReader<Chunk> {
  read(): Promise<{ done: false; value: Chunk } | { done: true; value?: undefined }>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}

interface ReadableStream<Chunk = unknown> {
  getReader(): ReadableStreamDefaultReader<Chunk>;
  cancel(reason?: unknown): Promise<void>;
}

interface Headers {
  get(name: string): string | null;
}

interface Response {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

interface RequestInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | null;
}

declare function fetch(input: string | URL, init?: RequestInit): Promise<Response>;

declare var Response: {
  prototype: Response;
  new (
    body?: ReadableStream | string | null,
    init?: { status?: number; statusText?: string; headers?: Headers | Record<string, string> },
  ): Response;
};

interface ReadableStream<Chunk = unknown> {
  pipeThrough<Next>(transform: TransformStream<Chunk, Next>): ReadableStream<Next>;
}

declare var ReadableStream: {
  prototype: ReadableStream;
  new <Chunk>(source: {
    start(controller: { enqueue(chunk: Chunk): void; close(): void }): void;
    cancel(): void;
  }): ReadableStream<Chunk>;
};

interface TransformStream<In = unknown, Out = In> {
  readonly readable: ReadableStream<Out>;
}

declare var TransformStream: {
  prototype: TransformStream;
  new <In, Out = In>(transformer: {
    transform(chunk: In, controller: { enqueue(chunk: Out): void; error(reason: unknown): void }): void;
  }): TransformStream<In, Out>;
};

interface ImportMeta {
  /** Some bundlers put this here. */
  readonly env?: { readonly DEV?: boolean };
}

declare function atob(base64: string): string;
declare function btoa(bytes: string): string;
