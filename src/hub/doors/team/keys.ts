// The keys that a person made for their own agents. A key is shown once, in the answer to its person.
import { PagewireError } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { ScopeNeeded } from "../../http/challenge.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { isGranted } from "../../identity/scopes.ts";
import { checkIsPerson } from "../../team/people/check-is-person.ts";
import { malformed } from "./answers.ts";
import type { Answers, TeamDoorOptions } from "./answers.ts";
import { readEnd, readScopes } from "./read-key.ts";

const nameForm = /^[^\p{C}\p{Z}](?:[^\p{C}]{0,62}[^\p{C}\p{Z}])?$/u;

export function keyAnswers({ team, record }: TeamDoorOptions): Answers {
  const { personalKeys } = team;

  function note({ principal }: Admitted, outcome: string, details: JsonObject): void {
    record({ kind: "token", principal, name: principal, outcome, decidedBy: "user", details });
  }

  return {
    async "GET keys"({ admitted }) {
      checkIsPerson(admitted);
      const keys = await personalKeys.list(admitted.principal);
      return {
        keys: keys.map(({ madeAt: createdAt, usedAt: lastUsedAt, ...key }) => ({ ...key, createdAt, lastUsedAt })),
      };
    },
    async "POST keys"({ admitted, body }) {
      checkIsPerson(admitted);
      const asked = await body();
      const name = readName(asked);
      const scopes = readScopes(asked);
      if (scopes.includes("admin")) team.checkAdmin(admitted);
      const missing = scopes.find((scope) => !isGranted(admitted.scopes, scope));
      if (missing) throw new ScopeNeeded(missing, admitted.principal);
      const made = await personalKeys.make(admitted.principal, { name, scopes, expiresAt: readEnd(asked) });
      note(admitted, "made", { key: made.id, name, scopes: [...scopes], expiresAt: made.expiresAt });
      return { name, ...made };
    },
    async "DELETE keys/"({ admitted, rest: id }) {
      checkIsPerson(admitted);
      if (!(await personalKeys.remove(admitted.principal, id)))
        throw new PagewireError("route-not-found", "You have no such key.");
      note(admitted, "removed", { key: id });
      return undefined;
    },
  };
}

function readName({ name }: JsonObject): string {
  if (typeof name === "string" && nameForm.test(name)) return name;
  throw malformed('The "name" needs 1 to 64 characters, such as the program and the machine that the key is for.');
}
