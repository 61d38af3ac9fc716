/** A DN that leads to the page of its object. */
import { Link } from "@tanstack/react-router";
import { useMay } from "../platform/profile.ts";
import { Dn } from "./dn.tsx";

interface ObjectLinkProps {
	readonly dn: string;
	/** Id of the connection that has the object. Nothing is linked where it is not known. */
	readonly connection: string | null | undefined;
}

export function ObjectLink({ dn, connection }: ObjectLinkProps) {
	const may = useMay();
	if (!connection || !may("view_snapshot")) return <Dn dn={dn} />;
	return (
		<Link to="/objects" search={{ connection, dn }} className="block min-w-0 rounded-cell hover:underline">
			<Dn dn={dn} />
		</Link>
	);
}
