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
const IN_TEXT = "mono rounded-cell text-accent-text hover:underline";

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

/** A value of any name, as a DN alone or as a text with DNs. */
export function ValueText({ text, connection }: { text: string } & Omit<ObjectLinkProps, "dn">) {
	const [only, ...rest] = splitDnTexts(text);
	return only?.isDn && rest.length === 0 ? (
		<ObjectLink dn={text} connection={connection} />
	) : (
		<LinkedText text={text} connection={connection} />
	);
}

/** A text in which each DN leads to its object, or to Find where the fabric is not known. */
export function LinkedText({ text, connection }: { text: string } & Omit<ObjectLinkProps, "dn">) {
	const may = useMay();
	if (!may("view_snapshot")) return text;
	return splitDnTexts(text).map(({ at, part, isDn }) => {
		if (!isDn || (!connection && part.length > FIND_LIMITS.question)) return <Fragment key={at}>{part}</Fragment>;
		return connection ? (
			<Link key={at} to="/objects" search={{ connection, dn: part }} className={IN_TEXT}>
				{part}
			</Link>
		) : (
			<Link key={at} to="/find" search={{ q: part }} className={IN_TEXT}>
				{part}
			</Link>
		);
	});
}
