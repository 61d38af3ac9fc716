/** Names of the types of columns, with a sample value of each. Pure. */
import type { TemplateColumn } from "@weft/contracts";
import type { ColumnType } from "@weft/contracts/browser";

/** A column in a form. Fields with defaults of the API may be absent. */
export type EditedColumn = Pick<TemplateColumn, "name" | "field_type"> & Partial<TemplateColumn>;

interface TypeWords {
	readonly label: string;
	/** Text of a cell, and the value that the job receives. */
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

/** Returns the name of a type; an unknown type unchanged. */
export const describeType = (type: string): string => findType(type)?.label ?? type;

export const getTypeSample = (type: string): TypeWords["sample"] => findType(type)?.sample ?? TYPES.text.sample;

/** Reads a number that a person typed; undefined where there is none. */
export const readTypedNumber = (text: string): number | undefined =>
	text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text);
