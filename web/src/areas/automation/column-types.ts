/** Types of columns in words, with a value that shows what the job receives. Pure. */
import type { TemplateColumn } from "@weft/contracts";
import type { ColumnType } from "@weft/contracts/browser";

/** A column as a form holds it: what the API fills in may be absent. */
export type EditedColumn = Pick<TemplateColumn, "name" | "field_type"> & Partial<TemplateColumn>;

interface TypeWords {
	readonly label: string;
	/** As a cell, and as the job receives it. */
	readonly sample: readonly [cell: string, value: unknown];
}

const TYPES: Readonly<Record<ColumnType, TypeWords>> = {
	text: { label: "Text", sample: ["text", "text"] },
	textarea: { label: "Text of several lines", sample: ["text", "text"] },
	number: { label: "Number", sample: ["1", 1] },
	boolean: { label: "Yes or no", sample: ["true", true] },
	enum: { label: "One of a list", sample: ["one", "one"] },
	multi_enum: { label: "Several of a list", sample: ["one, two", ["one", "two"]] },
	password: { label: "Password", sample: ["••••••••", "••••••••"] },
	ip: { label: "IP address", sample: ["192.0.2.10", "192.0.2.10"] },
	cidr: { label: "IP network", sample: ["192.0.2.0/24", "192.0.2.0/24"] },
	mac: { label: "MAC address", sample: ["00:00:5e:00:53:01", "00:00:5e:00:53:01"] },
	vlan: { label: "VLAN", sample: ["100", 100] },
};

const findType = (type: string): TypeWords | undefined =>
	Object.hasOwn(TYPES, type) ? TYPES[type as ColumnType] : undefined;

/** The words of a type; a type that is not known here as it is. */
export const describeType = (type: string): string => findType(type)?.label ?? type;

export const getTypeSample = (type: string): TypeWords["sample"] => findType(type)?.sample ?? TYPES.text.sample;
