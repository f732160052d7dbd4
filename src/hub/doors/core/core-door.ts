// The door to a model: a page's `<ai-agent>`, or a program, uses the wc-bindable remote protocol to drive an AiCore
// that lives here, one per conversation, with the server's keys and tools.
import type { Link } from "../../../link/index.ts";
import type { PagewireError } from "../../../wire/index.ts";
import type { ResolvedAi } from "../../options/ai-options.ts";
import { closeWith } from "../../sockets/closing.ts";
import type { Consents } from "../../approvals/consents.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { noteRefusedPage } from "../../guard/guard.ts";
import type { Later, Store } from "../../store/index.ts";
import type { Door } from "../door.ts";
import type { WindowDoor } from "../window/window-door.ts";
import { createAnswers } from "./answers.ts";
import { Conversations } from "./conversations.ts";
import type { ConversationsOptions } from "./conversations.ts";
import type { TokensLeft } from "../../common/token-limit.ts";
import { modelMissing } from "./model-source.ts";
import type { ModelSource } from "./model-source.ts";
import type { ModelList } from "./model-list.ts";
import { routeClient } from "./route-client.ts";
import { createServerTransport } from "./server-transport.ts";
import type { ModelTest } from "./test-model.ts";

export interface CoreDoorOptions {
  /** Undefined for a hub without a model. */
  readonly models: ModelSource | undefined;
  readonly listOf: (ai: ResolvedAi) => ModelList;
  readonly store: Store;
  readonly later: Later;
  readonly now: () => number;
  readonly quotas: ConversationsOptions["quotas"];
  readonly consents: Consents;
  readonly windows: Pick<WindowDoor, "find" | "refusalOf">;
  readonly hasVisitors: boolean;
}

/** The client of a link, as authenticated by the guard. */
export interface CoreGuest {
  readonly admitted: Admitted;
  readonly isPage: boolean;
  readonly origin: string | undefined;
  /** The tab that the page claims to be. */
  readonly tab: string | undefined;
  /** Has another hub serve the client; undefined if there is none, or if another has passed it on. */
  readonly passOn?: ((hub: string, link: Link) => void) | undefined;
}

export interface CoreDoor {
  /** The number of answers in progress, and of conversations in memory. */
  readonly open: number;
  readonly conversations: number;
  serve(link: Link, guest: CoreGuest): void;
  /** Asks a model for a small answer; rejects if none may begin. */
  test(admitted: Admitted, model: string): Promise<ModelTest>;
  /** The rest of each limit of a principal's tokens, the least first. */
  left(principal: string): Promise<readonly TokensLeft[]>;
  /** Disconnects a client with the reason for which the guard refused it. */
  refuse(link: Link, error: PagewireError, origin: string | undefined): void;
  /** Ends the conversations in which nothing is being answered: another hub goes on with them. */
  sendAway(): void;
  /** Stops all answers; resolves when everything is saved. */
  close(): Promise<void>;
}

export function createCoreDoor(door: Door, { models, ...options }: CoreDoorOptions): CoreDoor {
  const { limits, note, metrics, homes } = door;
  const answers = createAnswers(door);
  const conversations = models && new Conversations(door, { ...options, models, answers });

  function refuse(link: Link, error: PagewireError, origin: string | undefined): void {
    link.start({ message: () => {}, closed: () => {} });
    noteRefusedPage(door, error.code, origin);
    closeWith(link, error);
  }

  function serveHere(link: Link, { admitted, isPage, origin, tab }: CoreGuest, conversations: Conversations): void {
    const transport = createServerTransport(link, {
      limits,
      turnAway: (error) => turnAway(link, error),
      asks: (id) =>
        conversations.asks(id, {
          tab,
          isOwnPage: !isPage && origin !== undefined,
          isOwner: !isPage && admitted.isOwner === true,
          ...{ allowed: admitted.allowed, scopes: admitted.scopes },
        }),
    });
    note("info", "core-connected", { origin: origin ?? "none" });
    conversations.attach(transport, { principal: admitted.principal, origin: isPage ? (origin ?? "") : undefined });
  }

  function turnAway(link: Link, error: PagewireError): void {
    metrics.refused(error.code);
    note("warn", "core-refused", { code: error.code });
    closeWith(link, error);
  }

  return {
    get open() {
      return answers.size;
    },
    get conversations() {
      return conversations?.size ?? 0;
    },
    refuse,
    serve(link, guest) {
      if (!conversations) return refuse(link, modelMissing(), guest.origin);
      if (!homes) return serveHere(link, guest, conversations);
      routeClient({
        ...{ link, homes, limits, passOn: guest.passOn, principal: guest.admitted.principal },
        turnAway: (error) => turnAway(link, error),
        serveHere: (whole) => serveHere(whole, guest, conversations),
      });
    },
    async test(admitted, model) {
      if (!conversations) throw modelMissing();
      return conversations.test(admitted, model);
    },
    left: async (principal) => (await conversations?.left(principal)) ?? [],
    sendAway: () => conversations?.sendAway(),
    close: async () => conversations?.close(),
  };
}
