/** Expected changes as a form edits them. Pure. */
import type { ExpectationInput } from "@weft/contracts";

/** A bound of an attribute: undefined for any value, null for an absent attribute. */
type Bound = string | null | undefined;

export interface EditedAttribute {
	readonly name: string;
	readonly from: Bound;
	readonly to: Bound;
}

export interface EditedChange {
	readonly change: ExpectationInput["change"];
	/** A DN with `*` and `**`, or a regular expression. */
	readonly dn: string;
	readonly isRegex: boolean;
	/** Empty: of any class. */
	readonly className: string;
	/** None: any attributes may differ. */
	readonly attributes: readonly EditedAttribute[];
	readonly required: boolean;
	/** Fields that the form does not show. They are sent as they were. */
	readonly others: Readonly<Record<string, unknown>>;
}

export const NEW_CHANGE: EditedChange = {
	change: "added",
	dn: "",
	isRegex: false,
	className: "",
	attributes: [],
	required: true,
	others: {},
};

type StoredChange = Pick<ExpectationInput, "change" | "dn" | "class_name" | "attributes" | "required">;

export function editChange({ change, dn, class_name, attributes, required, ...others }: StoredChange): EditedChange {
	return {
		change,
		dn: typeof dn === "string" ? dn : dn.regex,
		isRegex: typeof dn !== "string",
		className: class_name ?? "",
		attributes: Object.entries(attributes ?? {}).map(([name, { from, to }]) => ({ name, from, to })),
		required,
		others,
	};
}

/** The expected change as the service takes it. An attribute without a name is left out. */
export function writeChange({ change, dn, isRegex, className, attributes, required, others }: EditedChange) {
	const named = attributes.filter(({ name }) => name.trim() !== "");
	return {
		...others,
		change,
		dn: isRegex ? { regex: dn.trim() } : dn.trim(),
		class_name: className.trim() === "" ? null : className.trim(),
		attributes: named.length === 0 ? null : Object.fromEntries(named.map(writeAttribute)),
		required,
	};
}

const writeAttribute = ({ name, from, to }: EditedAttribute) => [
	name.trim(),
	{ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
];
