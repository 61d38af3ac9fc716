/** DNs that lead to the page of their object; where the fabric is not known, to Find. */
import { Link } from "@tanstack/react-router";
import { FIND_LIMITS } from "@weft/contracts/browser";
import { Fragment } from "react";
import { isDnAttribute } from "../platform/dn-text.ts";
import { splitDnTexts } from "../platform/dns-in-text.ts";
import { useMay } from "../platform/profile.ts";
import { Dn } from "./dn.tsx";

interface ObjectLinkProps {
	readonly dn: string;
	/** Id of the connection that has the object; null where it is not known. */
	readonly connection: string | null | undefined;
}

const LINK = "block min-w-0 rounded-cell hover:underline";

export function ObjectLink({ dn, connection }: ObjectLinkProps) {
	const may = useMay();
	const isFindable = dn.length <= FIND_LIMITS.question;
	if (!may("view_snapshot") || (!connection && !isFindable)) return <Dn dn={dn} />;
	if (!connection) {
		return (
			<Link to="/find" search={{ q: dn }} className={LINK}>
				<Dn dn={dn} />
			</Link>
		);
	}
	return (
		<Link to="/objects" search={{ connection, dn }} className={LINK}>
			<Dn dn={dn} />
		</Link>
	);
}

/** The value of an attribute: a DN is a link, other texts are not. */
export function ValueLink({ name, text, connection }: { name: string; text: string } & Omit<ObjectLinkProps, "dn">) {
	return isDnAttribute(name, text) ? <ObjectLink dn={text} connection={connection} /> : text;
}

/** A text in which each DN leads to Find, as a message does not say which fabric has it. */
export function LinkedText({ text }: { text: string }) {
	const may = useMay();
	if (!may("view_snapshot")) return text;
	return splitDnTexts(text).map(({ at, part, isDn }) =>
		isDn && part.length <= FIND_LIMITS.question ? (
			<Link key={at} to="/find" search={{ q: part }} className="mono rounded-cell text-accent-text hover:underline">
				{part}
			</Link>
		) : (
			<Fragment key={at}>{part}</Fragment>
		),
	);
}
