/** Joins the rows of a group, which show one change to several queries. */
import type { ChangedBy } from "@weft/contracts";
import { compareCodeUnits } from "../../../../core/text.ts";

type Attribute = readonly [name: string, before: string | null, after: string | null];

/** The attributes of all rows, by name. */
export function joinAttributes(rows: readonly (readonly Attribute[])[]): Attribute[] {
	const found = new Map<string, Attribute>();
	for (const attributes of rows) for (const attribute of attributes) found.set(attribute[0], attribute);
	return [...found.values()].sort(([one], [other]) => compareCodeUnits(one, other));
}

/** The records of all rows, each once, newest first. */
export function joinRecords(rows: readonly (readonly ChangedBy[] | null)[]): ChangedBy[] {
	const found = new Map<string, ChangedBy>();
	for (const record of rows.flatMap((records) => records ?? [])) {
		const { user, at, action, session } = record;
		found.set(JSON.stringify([user, at, action, session]), record);
	}
	return [...found.values()].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
