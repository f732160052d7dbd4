// Blocks of principals, and the times before which credentials are refused: all in memory, because every use of a credential
// asks. A block and an end are records of their own, so that two admins who decide at once do not undo each other's decision.
import { isDeepStrictEqual } from "node:util";
import { PagewireError } from "../../../wire/index.ts";
import { createPrincipalRecords } from "../../store/index.ts";
import type { Later, PrincipalRecords, RecordStore } from "../../store/index.ts";
import { storedName } from "../../store/sql/schema.ts";

export interface AccessOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly now: () => number;
  readonly onNotSaved: () => void;
  /** Called after a principal's access has changed. */
  readonly onChanged: () => void;
}

type What = "blocked" | "ended";

interface Mark {
  readonly principal: "";
  readonly at: number;
}

export class Access {
  readonly #options: AccessOptions;
  readonly #marks: PrincipalRecords<Mark>;

  constructor(options: AccessOptions) {
    const { onChanged, ...parts } = options;
    this.#options = options;
    this.#marks = createPrincipalRecords<Mark>({
      ...parts,
      kind: "access",
      toRecord: (mark) => ({ ...mark }),
      parse: (_, { at }) => (typeof at === "number" ? { principal: "", at } : undefined),
      onReread: (_, before) => {
        if (!isDeepStrictEqual(before, this.#marks.known(""))) onChanged();
      },
    });
  }

  /** Until it resolves everyone is refused. */
  async load(): Promise<void> {
    await this.#marks.of("");
  }

  /** In case that a message of another hub was lost. */
  readAgain(): void {
    this.#marks.readAgain("");
  }

  /** Credentials that were issued before this are refused, in milliseconds since 1970: all of a blocked principal. */
  refusedBefore(principal: string): number | undefined {
    return this.isBlocked(principal) ? Infinity : this.#at("ended", principal);
  }

  isBlocked(principal: string): boolean {
    return this.#at("blocked", principal) !== undefined;
  }

  /** Ends all that a principal's credentials have begun. Takes effect at once; rejects if it is not saved yet. */
  end(principal: string): Promise<void> {
    return this.#set("ended", principal, this.#options.now());
  }

  async block(principal: string): Promise<void> {
    // When the block is lifted, nothing from before it holds.
    await Promise.all([this.#set("blocked", principal, this.#options.now()), this.end(principal)]);
  }

  unblock(principal: string): Promise<void> {
    return this.#set("blocked", principal, undefined);
  }

  async #set(what: What, principal: string, at: number | undefined): Promise<void> {
    const value = at === undefined ? undefined : ({ principal: "", at } as const);
    const held = this.#marks.hold({ key: keyOf(what, principal), principal: "", value });
    this.#options.onChanged();
    await held;
  }

  #at(what: What, principal: string): number | undefined {
    const marks = this.#marks.known("");
    if (marks) return marks.get(keyOf(what, principal))?.at;
    const message = "The hub cannot read at the moment who may use it. Try again in a while.";
    throw new PagewireError("not-saved", message, { retryAfter: 5000 });
  }
}

function keyOf(what: What, principal: string): string {
  return storedName(`${what} ${principal}`);
}
