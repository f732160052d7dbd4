import type { WcBindableDeclaration } from "../declaration.ts";
import type { AckOptions, RemoteCoreProxyOptions } from "./client-calls.ts";
import { ClientEngine } from "./client-engine.ts";
import type { EngineOwner } from "./client-engine.ts";
import { namesOf } from "./names.ts";
import type { ClientTransport } from "./messages.ts";

/** An event cannot carry `undefined` as its detail; this stands for it. */
const undefinedDetail = Symbol("undefined");

/** A remote core: bind to it, set its inputs, invoke its commands. Its properties have the last received values. */
export class RemoteCoreProxy extends EventTarget {
  readonly #engine: ClientEngine;

  constructor(engineOf: (emit: (name: string, value: unknown) => void) => ClientEngine) {
    super();
    this.#engine = engineOf((name, value) => {
      const detail = value === undefined ? undefinedDetail : value;
      this.dispatchEvent(new CustomEvent(eventOf(name), { detail }));
    });
  }

  /** Sets an input without waiting for the outcome. Throws where it is invalid. */
  set(name: string, value: unknown): void {
    this.#engine.set(name, value);
  }

  /** Sets an input; resolves once the core has it. */
  setWithAck(name: string, value: unknown): Promise<void> {
    return this.#engine.setWithAck(name, value);
  }

  setWithAckOptions(name: string, value: unknown, options?: AckOptions): Promise<void> {
    return this.#engine.setWithAck(name, value, options);
  }

  invoke(name: string, ...args: unknown[]): Promise<unknown> {
    return this.#engine.invoke(name, args);
  }

  invokeWithOptions(name: string, args: readonly unknown[], options?: AckOptions): Promise<unknown>;
  /** @deprecated The form of older versions; an array as the first argument would be taken for all of them. */
  invokeWithOptions(name: string, options: AckOptions | undefined, ...args: readonly unknown[]): Promise<unknown>;
  invokeWithOptions(
    name: string,
    given: readonly unknown[] | AckOptions | undefined,
    ...rest: readonly unknown[]
  ): Promise<unknown> {
    return Array.isArray(given)
      ? this.#engine.invoke(name, given, rest[0] as AckOptions | undefined)
      : this.#engine.invoke(name, rest, given as AckOptions | undefined);
  }

  /** Gives the server of `createAuthenticatedWSS` a newer token, before the one expires that this connection came with. */
  async refreshAuth(token: string): Promise<void> {
    await this.#engine.command("auth:refresh", [token]);
  }

  /** Goes on over another transport after the last one was lost. */
  reconnect(transport: ClientTransport): void {
    this.#engine.reattach(transport);
  }

  dispose(): void {
    this.#engine.dispose();
  }
}

/** A proxy for the core behind a transport. Calls end with the transport; see `connectRemoteCore` for more. */
export function createRemoteCoreProxy<Values extends object = Record<string, unknown>>(
  declaration: WcBindableDeclaration,
  transport: ClientTransport,
  options: RemoteCoreProxyOptions = {},
): RemoteCoreProxy & Readonly<Partial<Values>> {
  const { proxy, engine } = createProxy<Values>(declaration, options, { resumes: false });
  engine.attach(transport);
  return proxy;
}

/** A proxy that has no transport yet. */
export function createProxy<Values extends object>(
  declaration: WcBindableDeclaration,
  options: RemoteCoreProxyOptions,
  owner: EngineOwner,
): { readonly proxy: RemoteCoreProxy & Readonly<Partial<Values>>; readonly engine: ClientEngine } {
  const names = namesOf(declaration);
  let engine: ClientEngine | undefined;
  const made = new (class extends RemoteCoreProxy {
    static readonly wcBindable = {
      ...declaration,
      properties: declaration.properties.map(({ name }) => ({
        name,
        event: eventOf(name),
        getter: ({ detail }: CustomEvent) => (detail === undefinedDetail ? undefined : detail),
      })),
    };
  })((changed) => (engine = new ClientEngine({ ...options, names, changed, owner })));
  if (!engine) throw new TypeError("A proxy has no engine.");
  const { values } = engine;
  const properties = new Set(names.properties);
  const proxy = new Proxy(made, {
    has: (target, key) => (isIn(properties, key) ? values.has(key) : Reflect.has(target, key)),
    get(target, key) {
      if (isIn(properties, key)) return values.get(key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" && (key as unknown) !== "constructor" ? value.bind(target) : value;
    },
    set(target, key, value) {
      // Anything else would be a misspelt input that is never sent.
      if (typeof key === "symbol" || (key in target && !isIn(properties, key) && !isIn(names.inputs, key)))
        return Reflect.set(target, key, value);
      target.set(key, value);
      return true;
    },
  });
  return { proxy: proxy as RemoteCoreProxy & Readonly<Partial<Values>>, engine };
}

function isIn(names: ReadonlySet<string>, key: string | symbol): key is string {
  return names.has(key as string);
}

function eventOf(name: string): string {
  return `@wc-bindable/remote:${name}`;
}
