// The hub's view of the state directory while it runs: never an error, always a safe value.
import type { Policy } from "../../policy/index.ts";
import { originProblem, parseOrigin } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { HubOptions } from "../../hub/index.ts";
import { usageError } from "../common/command.ts";
import type { ModelChoice } from "./choose-model.ts";
import { findLocalModels, localServers } from "./local-models.ts";

type HubSettings = NonNullable<HubOptions["settings"]>;

/** The parts of a hub's options that come from the state directory. */
export interface HubSources {
  agentToken(): string;
  shellKey(): string;
  allowedOrigins(): readonly string[];
  revocations(): ReturnType<State["revocations"]>;
  /** Throws if it is invalid: the hub then keeps using the previous one. */
  policy(): Policy | undefined;
  onStateChange(listener: () => void): () => void;
}

/** Reads all once, so that a hub does not start with a broken file; later on a broken one is reported. */
export function createHubSources(
  state: State,
  forThisRun: readonly string[],
  onProblem: (message: string) => void,
): HubSources {
  const given = forThisRun.map(requireOrigin);
  let origins = state.allowedOrigins();
  let revoked = state.revocations();

  return {
    // A file that cannot be trusted counts as having no token: the hub refuses every agent until it is repaired.
    agentToken: tryEach(state.agentToken, onProblem, () => ""),
    shellKey: tryEach(state.shellKey, onProblem, () => ""),
    // A file that was broken by hand revokes nothing: the last valid version applies.
    allowedOrigins: tryEach(
      () => [...(origins = state.allowedOrigins()), ...given],
      onProblem,
      () => [...origins, ...given],
    ),
    revocations: tryEach(
      () => (revoked = state.revocations()),
      onProblem,
      () => revoked,
    ),
    policy: state.policy,
    onStateChange: state.onChange,
  };
}

/** The files that the hub's owner changes over HTTP, as the command line does. */
export function createHubSettings(
  state: State,
  { name, provider, isAsked }: ModelChoice,
  fetchFrom?: typeof fetch,
): HubSettings {
  const { policyPath, policyText, setPolicy, removePolicy, allowOrigin, disallowOrigin, refusedOrigins } = state;
  let saved: readonly string[] = [];
  return {
    ...{ policyPath, policyText, setPolicy, removePolicy, allowOrigin, disallowOrigin, refusedOrigins },
    changeOrigins: state.changeOrigins,
    changeRevocations: state.changeRevocations,
    parseOrigin: requireOrigin,
    savedOrigins: tryEach(
      () => (saved = state.allowedOrigins()),
      () => {},
      () => saved,
    ),
    saveModel(model) {
      if (provider === undefined || isAsked) return false;
      state.chooseModel(provider, model);
      return true;
    },
    // With a key, servers on this machine are not asked.
    async localModels() {
      const isLocal = name === "rehearsal" || localServers.some((server) => server.provider === provider);
      return fetchFrom && isLocal ? findLocalModels(fetchFrom, provider) : [];
    },
  };
}

/** Reads, or reports once why that is not possible and falls back. */
function tryEach<Value>(read: () => Value, onProblem: (message: string) => void, fallback: () => Value): () => Value {
  let lastProblem = "";
  return () => {
    try {
      const value = read();
      lastProblem = "";
      return value;
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== lastProblem) onProblem(problem);
      lastProblem = problem;
      return fallback();
    }
  };
}

/** Parses an origin argument; if it is invalid, throws with a suggestion. */
export function requireOrigin(text: string): string {
  const origin = parseOrigin(text);
  if (origin === undefined) throw usageError(originProblem(text));
  return origin;
}
