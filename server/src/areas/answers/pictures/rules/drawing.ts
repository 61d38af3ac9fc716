/** A drawing: nodes and edges made of objects, without marks. */
import type { PictureEdgeKind, PictureNodeKind, PictureState } from "@weft/contracts";
import { getLabel } from "../../find/rules/terms.ts";

export interface PictureObject {
	readonly dn: string;
	readonly className: string;
	/** Values as text. */
	readonly attributes: Readonly<Record<string, string>>;
	/** Whether the object was deleted before the moment, so that the snapshots lack it. */
	readonly isGone: boolean;
}

export interface DrawnNode {
	readonly dn: string;
	/** Null if no object of the snapshots has the DN. */
	readonly className: string | null;
	readonly kind: PictureNodeKind;
	readonly label: string;
	readonly state: PictureState | null;
	readonly facts: readonly { readonly name: string; readonly value: string }[];
	/** Its tenant; null if that is the tenant of the picture. */
	readonly tenant: string | null;
	readonly isGone: boolean;
}

export interface DrawnEdge {
	readonly dn: string;
	readonly className: string;
	readonly kind: PictureEdgeKind;
	readonly from: string;
	readonly to: string;
	readonly label: string;
	readonly state: PictureState | null;
	readonly isGone: boolean;
}

export interface Drawing {
	readonly nodes: readonly DrawnNode[];
	/** Both ends of each edge are among the nodes. */
	readonly edges: readonly DrawnEdge[];
}

/** Picks attributes of an object for display, without empty ones. */
export const pickFacts = (object: PictureObject, names: readonly string[]): DrawnNode["facts"] =>
	names.flatMap((name) => {
		const value = object.attributes[name];
		return value === undefined || value === "" ? [] : [{ name, value }];
	});

/** Builds the node of an object. */
export const buildNode = (
	object: PictureObject,
	more: Pick<DrawnNode, "kind" | "state" | "facts" | "tenant">,
): DrawnNode => ({
	dn: object.dn,
	className: object.className,
	label: getLabel(object),
	isGone: object.isGone,
	...more,
});

/** Builds a node that only a relation or a link names. */
export const buildNamedNode = (dn: string, kind: PictureNodeKind, tenant: string | null): DrawnNode => ({
	dn,
	className: null,
	kind,
	label: getLabel({ dn, attributes: {} }),
	state: null,
	facts: [],
	tenant,
	isGone: false,
});

/** Orders names by the numbers in them: leaf-9 before leaf-10. */
export const compareNames = new Intl.Collator("en", { numeric: true }).compare;
