// The organisation of a team's hub: who one is there, and for its admins its people, their sign-ins and its service accounts.
import { Tabs } from "../../../common/src/ui/index.ts";
import { goTo, href } from "../frame/route.ts";
import type { ViewProps } from "../frame/view.ts";
import { People } from "./people.tsx";
import { Services } from "./services.tsx";
import { OwnSignIns, Sessions } from "./sessions.tsx";

const places = [
  { value: "you", label: "You", isForAdmins: false },
  { value: "people", label: "People", isForAdmins: true },
  { value: "sessions", label: "Sign-ins", isForAdmins: true },
  { value: "services", label: "Service accounts", isForAdmins: true },
] as const;

export function Organisation({ session, route }: ViewProps) {
  const { me } = session.info;
  const options = places.filter(({ isForAdmins }) => !isForAdmins || me?.isAdmin === true);
  const place = options.find(({ value }) => value === route.path[1])?.value ?? "you";
  return (
    <Tabs
      label="Organisation"
      options={options}
      value={place}
      onValue={(value) => goTo(href(["organisation", value]), true)}
    >
      {place === "you" && <OwnSignIns session={session} />}
      {place === "people" && <People session={session} />}
      {place === "sessions" && <Sessions session={session} />}
      {place === "services" && <Services session={session} />}
    </Tabs>
  );
}
