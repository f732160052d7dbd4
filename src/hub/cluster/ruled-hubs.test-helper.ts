// Hubs over one NATS server and one PostgreSQL, each with files of its own, in memory, that a test edits.
import { onTestFinished } from "vitest";
import { startNats } from "../../../test/support/start-nats.ts";
import type { NatsServer } from "../../../test/support/start-nats.ts";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import { parsePolicy } from "../../policy/index.ts";
import { PagewireError } from "../../wire/index.ts";
import { startShellHub } from "../doors/shell/shell.test-helper.ts";
import type { ShellHub } from "../doors/shell/shell.test-helper.ts";
import type { HubOptions, HubSettings } from "../options/options.ts";
import { openStore } from "../store/index.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";

/** A hub's files, which outlive it. */
export interface Files {
  text: string | undefined;
  readonly origins: Set<string>;
  readonly ids: Set<string>;
  readonly subjects: Map<string, number>;
  /** Why they cannot be written. */
  fault: string | undefined;
  /** Changes files, as the command line does; a hub that runs notices. */
  edit(change: (files: Files) => void): void;
}

type FileOptions = Pick<HubOptions, "policy" | "allowedOrigins" | "revocations" | "onStateChange" | "settings">;

export function createFiles(given: Partial<Pick<Files, "text">> = {}): { readonly files: Files; options: FileOptions } {
  const listeners = new Set<() => void>();
  const files: Files = {
    ...{ text: undefined, origins: new Set([shop]), ids: new Set(), subjects: new Map(), fault: undefined, ...given },
    edit(change) {
      change(files);
      for (const listener of listeners) listener();
    },
  };
  const save = <Value>(change: () => Value): Value => {
    if (files.fault !== undefined) throw new PagewireError("options-invalid", files.fault);
    return change();
  };
  const settings: HubSettings = {
    policyPath: "/state/policy.json",
    policyText: () => files.text,
    setPolicy: (text) => save(() => void (files.text = text)),
    removePolicy: () => save(() => files.text !== undefined && ((files.text = undefined), true)),
    savedOrigins: () => [...files.origins],
    parseOrigin: (origin) => origin,
    allowOrigin: (origin) => save(() => !files.origins.has(origin) && Boolean(files.origins.add(origin))),
    disallowOrigin: (origin) => save(() => files.origins.delete(origin)),
    changeOrigins: (edit) => save(() => edit(files.origins)),
    changeRevocations: (edit) => save(() => edit(files.ids, files.subjects)),
    refusedOrigins: () => [],
    saveModel: () => true,
  };
  const options: FileOptions = {
    policy: () => (files.text === undefined ? undefined : parsePolicy(files.text)),
    allowedOrigins: () => [...files.origins],
    revocations: () => ({ ids: new Set(files.ids), subjects: new Map(files.subjects) }),
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    settings,
  };
  return { files, options };
}

export interface RuledHub extends ShellHub {
  readonly files: Files;
  /** Takes the database away from this hub, or gives it back. */
  setDatabase(isThere: boolean): void;
}

export interface RuledCluster {
  readonly nats: NatsServer;
  start(name: string, options?: StartOptions): Promise<RuledHub>;
}

interface StartOptions extends Partial<HubOptions> {
  /** The records of an earlier run. */
  readonly own?: ReturnType<typeof createFiles>;
  readonly hasDatabase?: boolean;
}

export async function startRuledCluster(all: Partial<HubOptions> = {}): Promise<RuledCluster> {
  const nats = await startNats();
  onTestFinished(() => nats.close());
  const database = await newDatabase();
  return {
    nats,
    async start(hubName, { own = createFiles(), hasDatabase = true, ...options } = {}) {
      const store = createFailingStore(await openStore({ database }));
      const setDatabase = (isThere: boolean) => {
        store.failure = isThere ? undefined : "away";
        store.failsToRead = !isThere;
      };
      setDatabase(hasDatabase);
      const given = {
        cluster: { nats: nats.url, hubName },
        ai: "none",
        store: () => store,
        ...all,
        ...options,
      } as const;
      const hub = await startShellHub({
        ...(given.jwt ? {} : { whenLoaded: async () => {} }),
        ...own.options,
        ...given,
      });
      return Object.assign(hub, { files: own.files, setDatabase });
    },
  };
}

export const denying = (tool: string) => `{ "rules": [{ "name": "no", "tool": "${tool}", "decision": "deny" }] }\n`;
