import { Badge } from "../../../common/src/ui/badge.tsx";
import { isPrivate } from "./is-private.ts";

/** The address of a site or a hub. Its scheme is shown where it means that others can read and change what is sent. */
export function Address({ origin }: { readonly origin: string }) {
  if (isPrivate(origin)) return <bdi>{withoutScheme(origin)}</bdi>;
  return (
    <>
      <bdi>{origin}</bdi> <Badge tone="bad">Not secure</Badge>
    </>
  );
}

function withoutScheme(address: string): string {
  return address.replace(/^https?:\/\//, "");
}
