// Terminals without a shell of the hub: a command creates one, attaches it to a tab, and ends it.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Switchboard } from "../../../switchboard/index.ts";
import { PagewireError, parseJsonObject } from "../../../wire/index.ts";
import type { JsonObject, Limits } from "../../../wire/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Passed } from "../../guard/guard.ts";
import { checkJson, pathOf, readBody } from "../../http/exchange.ts";
import { respondNothing, respondText } from "../../http/respond.ts";
import type { Terminals } from "../../terminals/terminals.ts";

export interface TerminalsDoor {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
}

export interface TerminalsDoorParts {
  readonly terminals: Terminals;
  readonly switchboard: Switchboard;
  readonly limits: Limits;
}

/** A terminal's name must be printable. */
const nameForm = /^[^\p{C}]{1,128}$/u;

export function createTerminalsDoor({ terminals, switchboard, limits }: TerminalsDoorParts): TerminalsDoor {
  async function make(
    given: JsonObject,
    { principal, tokenId, allowed, ofToken, scopes, expiresAt, session }: Admitted,
  ): Promise<object> {
    if (session !== undefined)
      throw new PagewireError(
        "token-invalid",
        "Who signed in with a code cannot make terminals: they would outlive it.",
      );
    const { name = "terminal" } = given;
    if (typeof name !== "string" || !nameForm.test(name))
      throw new PagewireError("request-malformed", '"name" must be text of 1 to 128 characters that can be shown.');
    return terminals.create(principal, { name, expiresAt, madeWith: "agent", tokenId, allowed, ofToken, scopes });
  }

  async function attach(id: string, { tab }: JsonObject, { principal }: Admitted): Promise<void> {
    if (typeof tab !== "string")
      throw new PagewireError("request-malformed", '"tab" must be the id of a tab, as text.');
    if (!(await terminals.find(principal, id))) throw notFound(id);
    const agent = switchboard.agent({ principal, identity: id, name: "terminal" });
    try {
      // The error lists the open tabs if there is none with this id.
      agent.tabOffer(tab);
    } finally {
      agent.close();
    }
    await terminals.attach(principal, id, tab);
  }

  async function end(id: string, { principal }: Admitted): Promise<void> {
    if (!(await terminals.find(principal, id))) throw notFound(id);
    await terminals.end(principal, id);
  }

  async function readObject(request: IncomingMessage): Promise<JsonObject> {
    checkJson(request, "What is said of a terminal");
    const body = await readBody(request, limits.headerBytes, { limit: "headerBytes" });
    const given = parseJsonObject(body.toString(), limits.jsonDepth);
    if (given) return given;
    throw new PagewireError("request-malformed", "The body must be a JSON object.");
  }

  return {
    async serve(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "Terminals are made with the hub's token.");
      const [, , , id, what, more] = pathOf(request).split("/");
      if (request.method === "POST" && id === undefined) {
        const made = await make(await readObject(request), admitted);
        return respondText(response, { text: JSON.stringify(made), type: "application/json" });
      }
      if (request.method === "POST" && id && what === "attach" && more === undefined) {
        await attach(id, await readObject(request), admitted);
        return respondNothing(response);
      }
      if (request.method === "DELETE" && id !== undefined && what === undefined) {
        await end(id, admitted);
        return respondNothing(response);
      }
      throw new PagewireError("route-not-found", `There is nothing at ${pathOf(request)}.`);
    },
  };
}

function notFound(id: string): PagewireError {
  return new PagewireError("terminal-not-found", `You have no terminal "${id.slice(0, 128)}", or not any more.`);
}
