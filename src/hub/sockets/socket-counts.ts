import { PagewireError } from "../../wire/index.ts";
import type { Limits, OnOver } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";

/** How many sockets each principal has. */
export interface SocketCounts {
  /** One more; throws where there are too many. What it returns takes it away again. */
  enter(admitted: Admitted): () => void;
}

export function createSocketCounts(limits: Pick<Limits, "socketsPerPrincipal">, onOver: OnOver): SocketCounts {
  const counts = new Map<string, number>();
  return {
    enter({ principal, allowed }) {
      const count = counts.get(principal) ?? 0;
      const most = allowed?.socketsPerPrincipal ?? limits.socketsPerPrincipal;
      if (count >= most) {
        onOver("socketsPerPrincipal");
        const message = `${most} sockets of one user are open already (limit socketsPerPrincipal). Close some of them.`;
        throw new PagewireError("sockets-too-many", message);
      }
      counts.set(principal, count + 1);
      return () => {
        const left = (counts.get(principal) ?? 1) - 1;
        if (left > 0) counts.set(principal, left);
        else counts.delete(principal);
      };
    },
  };
}
