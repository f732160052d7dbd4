// The one gate that HTTP requests and upgrades both pass: first the host, then the route, the origin, and the credential.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import type { Access, Route } from "../routes.ts";
import type { Admitted } from "./admitted.ts";
import type { Credentials } from "./credentials.ts";
import { isOurHost } from "./host.ts";

/** What the guard found out about a request that may go on. */
export interface Passed {
  readonly origin: string | undefined;
  /** Missing on public routes, and on sockets that will say who they are in their first frame. */
  readonly admitted?: Admitted;
}

export interface Guard {
  /** Refuses a request whose host is not ours; must come before anything else is done with it. */
  checkHost(request: IncomingMessage): void;
  /** What was found out, at once where nothing had to be waited for; throws or rejects with the reason for a refusal. */
  pass(request: IncomingMessage, route: Pick<Route, "access" | "isUpgrade">): Passed | Promise<Passed>;
}

export interface GuardOptions {
  readonly hosts: ReadonlySet<string>;
  readonly ownOrigins: ReadonlySet<string>;
  readonly credentials: Credentials;
}

export function createGuard({ hosts, ownOrigins, credentials }: GuardOptions): Guard {
  const checks: Record<Access, (request: IncomingMessage, isUpgrade: boolean) => Passed | Promise<Passed>> = {
    public: (request) => ({ origin: request.headers.origin }),
    // A page is told over its socket why it is refused: a refused upgrade would only look like a hub that is down.
    page: (request) => ({ origin: request.headers.origin }),
    agent(request, isUpgrade) {
      const { origin } = request.headers;
      if (origin !== undefined && !ownOrigins.has(origin)) {
        throw new PagewireError("origin-not-allowed", `Pages of ${origin} cannot act as agents.`);
      }
      const token = bearerToken(request);
      if (isUpgrade && token === undefined) return { origin };
      const admitted = credentials.agent(token);
      return admitted instanceof Promise
        ? admitted.then((found) => ({ origin, admitted: found }))
        : { origin, admitted };
    },
  };

  return {
    checkHost(request) {
      if (isOurHost(request, hosts)) return;
      throw new PagewireError(
        "host-refused",
        `This hub does not answer to the host ${JSON.stringify(request.headers.host ?? "")}.`,
      );
    },
    pass: (request, { access, isUpgrade }) => checks[access](request, isUpgrade === true),
  };
}

function bearerToken(request: IncomingMessage): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(request.headers.authorization ?? "")?.[1];
}
