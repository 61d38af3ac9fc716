/** A DN that leads to the history of its object. */
import { Link } from "@tanstack/react-router";
import { Dn } from "../../ui/dn.tsx";

interface TrackedDnProps {
	readonly dn: string;
	/** Ids of the query and of the connection that have the object. */
	readonly query: string;
	readonly controller: string;
}

export const TrackedDn = ({ dn, query, controller }: TrackedDnProps) => (
	<Link to="/time-machine/track" search={{ query, dn, controller }} className="block rounded-cell hover:underline">
		<Dn dn={dn} />
	</Link>
);
