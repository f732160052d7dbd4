// Terminals by HTTP, for the command line: lists them, ends one, and switches them on.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { Passed } from "../../guard/guard.ts";
import { pathOf } from "../../http/exchange.ts";
import { respondNothing, respondText } from "../../http/respond.ts";
import type { Shells } from "./shells.ts";

interface ShellRequests {
  serve(request: IncomingMessage, response: ServerResponse, passed: Passed): Promise<void>;
}

export function createShellRequests(shells: Shells): ShellRequests {
  return {
    async serve(request, response, { admitted }) {
      if (!admitted) throw new PagewireError("token-required", "Terminals need the hub's shell key.");
      const { principal } = admitted;
      const [, , , id, more] = pathOf(request).split("/");
      if (id !== undefined) {
        if (more !== undefined) throw new PagewireError("route-not-found", `There is nothing at ${pathOf(request)}.`);
        await shells.end(principal, id);
        return respondNothing(response);
      }
      if (request.method === "POST") await shells.switchOn(principal);
      const { isOn } = shells;
      const terminals = isOn ? await shells.list(principal) : [];
      respondText(response, { text: JSON.stringify({ isOn, terminals }), type: "application/json" });
    },
  };
}
